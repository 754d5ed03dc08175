"""Elimination of constraint rows with diagonal pivoting inside of every loop.

The order of the loops is fixed and keeps the factors sparse. Inside of a loop with more than two rows, in a
machine some of whose rows follow from others, the row of which most is left goes first: a weak one first
would divide rounding by what is left of it, and hide which rows are dependent. Where all rows are independent
in almost all positions the order is fixed: the matrix is positive definite, and needs no pivoting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from treadle.constraints.rows import Group
from treadle.graph import Scalar, where

__all__ = ["Elimination", "Swap", "elimination_blocks", "elimination_order", "swapped"]

#: Rows of a loop up to which their order does not matter: more do not fit into a plane.
_PLANAR = 2


class Swap(NamedTuple):
    """Two places of a loop's rows, and whether what is in them changes places."""

    first: int
    second: int
    taken: Any


def swapped(values: Sequence[Scalar], swaps: Sequence[Swap]) -> list[Scalar]:
    """Values of the rows after swaps; backwards after the swaps in reverse."""
    x = list(values)
    for first, second, taken in swaps:
        x[first], x[second] = where(taken, x[second], x[first]), where(taken, x[first], x[second])
    return x


def elimination_blocks(A: Sequence[dict[int, Scalar]], groups: Sequence[Group]) -> list[list[int]]:
    """Rows in an order that keeps factors sparse; those of a loop that is ordered on the way, together."""
    blocks: dict[tuple[int, int], list[int]] = {}
    numbers = [group.number for group in groups]
    for i, (number, _, redundant, _) in enumerate(groups):
        key = (number, -1) if redundant and numbers.count(number) > _PLANAR else (number, i)
        blocks.setdefault(key, []).append(i)
    rows = list(blocks.values())
    home = {i: k for k, block in enumerate(rows) for i in block}
    coupled: list[dict[int, Scalar]] = [{} for _ in rows]
    for i, row in enumerate(A):
        for j in row:
            coupled[max(home[i], home[j])][min(home[i], home[j])] = 1.0
    return [rows[k] for k in elimination_order(coupled)]


def elimination_order(A: Sequence[dict[int, Scalar]]) -> list[int]:
    """Rows with the fewest neighbours first (minimum degree): little fills in."""
    neighbours: list[set[int]] = [set() for _ in A]
    for i, row in enumerate(A):
        for j in row:
            if i != j:
                neighbours[i].add(j)
                neighbours[j].add(i)
    left = set(range(len(A)))
    order = []
    while left:
        i = min(left, key=lambda k: (len(neighbours[k]), k))
        order.append(i)
        left.discard(i)
        for j in neighbours[i]:
            neighbours[j] |= neighbours[i] - {j}
            neighbours[j].discard(i)
    return order


@dataclass
class Elimination:
    """A symmetric matrix that is eliminated row by row; `left` of a row is by rows at its place or before."""

    order: Sequence[int]
    left: list[dict[int, Scalar]]
    #: what the pivot of every row is compared with
    sizes: list[Scalar]
    #: half-solved Jacobians, which change places with their rows
    Y: list[dict[int, Scalar]]
    lower: list[dict[int, Scalar]] = field(default_factory=list)
    swaps: list[Swap] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.place = {i: k for k, i in enumerate(self.order)}
        self.lower = [{} for _ in self.left]

    def larger_first(self, k: int, others: Sequence[int]) -> None:
        """Bring the row of which most is left, of k and some that follow, to the place of k."""
        for j in others:
            taken = self.left[j][j] * self.sizes[k] > self.left[k][k] * self.sizes[j]
            self._swap(Swap(k, j, taken))

    def _swap(self, swap: Swap) -> None:
        k, j, taken = swap
        self.swaps.append(swap)
        for i in self.order[self.place[k] + 1 :]:
            if i != j:
                self._exchange(*self._entry(i, k), *self._entry(i, j), taken)
        self._exchange(self.left[k], k, self.left[j], j, taken)
        for rows in (self.lower, self.Y):
            for e in sorted(rows[k].keys() | rows[j].keys()):
                self._exchange(rows[k], e, rows[j], e, taken)
        a, b = self.sizes[k], self.sizes[j]
        self.sizes[k], self.sizes[j] = where(taken, b, a), where(taken, a, b)

    def _entry(self, i: int, j: int) -> tuple[dict[int, Scalar], int]:
        return (self.left[i], j) if self.place[i] >= self.place[j] else (self.left[j], i)

    @staticmethod
    def _exchange(a: dict[int, Scalar], i: int, b: dict[int, Scalar], j: int, taken: Any) -> None:
        if i in a or j in b:
            x, y = a.get(i, 0.0), b.get(j, 0.0)
            a[i], b[j] = where(taken, y, x), where(taken, x, y)

    def eliminate(self, k: int, inverse: Scalar) -> None:
        """Take the row k, with the reciprocal of its pivot or zero, out of those that follow."""
        users = [i for i in self.order[self.place[k] + 1 :] if k in self.left[i]]
        for i in users:
            self.lower[i][k] = self.left[i][k] * inverse
        for number, i in enumerate(users):
            for j in users[: number + 1]:
                taken = self.lower[i][k] * self.left[j][k]
                self.left[i][j] = self.left[i][j] - taken if j in self.left[i] else -taken
