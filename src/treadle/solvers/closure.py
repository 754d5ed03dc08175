"""Constraint forces by a direct solve: (J M^-1 J^T) lambda = b through the tree's sparse factor.

With M = L^T D L and Y = L^-T J^T the matrix is A = Y^T D^-1 Y. It is factored row by row; a row whose
remainder is next to nothing depends on those before it (it is redundant, or the machine passes a singular
position) and takes no force. That choice is made again at every evaluation. Where loops are open, rows that
depend on others once they are closed do not quite do so: what a gap explains of a remainder does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.constraints.rows import Group, Row, closure_rows, row_names
from treadle.dynamics.cholesky import factor, parent_freedoms
from treadle.dynamics.crba import crba
from treadle.dynamics.regroup import regroup
from treadle.graph import Expr, Scalar, clip, maximum, memoized, sqrt, through_graph, where
from treadle.model.model import Model
from treadle.solvers.pivoting import Elimination, Swap, elimination_blocks, swapped

__all__ = [
    "DEPENDENT",
    "ClosureFactor",
    "closure_factor",
    "closure_of",
    "dependence",
    "group_sizes",
    "half_solved",
    "nearly_singular",
]

#: A row counts as dependent where what the others leave of it is below this share of its group: the square of
#: an angle that is larger than what numbers rounded to six digits leave.
DEPENDENT = 1e-11

#: The same where lengths are equal but for rounding, in squares of the rounding: next to a singular position
#: these rows differ by the rounding in their directions, which for one that is weaker is noise.
_NOISE = 30.0**2

#: Distances from a singular position below which a loop is next to one.
_NEAR = 0.05

#: What an open loop may leave of such a row, in squares of the angle that its gap amounts to; and at most.
DOUBT, MOST_DOUBT = 25.0, 1e-4


@dataclass(frozen=True)
class ClosureFactor:
    """Factors of M and of A = J M^-1 J^T at one position, in an order that keeps them sparse."""

    rows: Sequence[Row]
    L: Sequence[dict[int, Scalar]]
    inverse_diagonal: Sequence[Scalar]
    #: Y of the rows as they are given
    given: Sequence[dict[int, Scalar]]
    #: how rows change places; all that follows is by place
    swaps: Sequence[Swap]
    Y: Sequence[dict[int, Scalar]]
    order: Sequence[int]
    lower: Sequence[dict[int, Scalar]]
    inverse_pivots: Sequence[Scalar]
    #: what is left of every row by those before it, as a share of the largest diagonal entry of its group
    shares: Sequence[Scalar]
    #: above zero if a row was left out that would not have been, had the loops been closed
    doubtful: Scalar

    def multipliers(self, b: Sequence[Scalar]) -> list[Scalar]:
        """lambda with A lambda = b; zero for rows that depend on others."""
        x = swapped(b, self.swaps)
        for i in self.order:
            for j, value in self.lower[i].items():
                x[i] = x[i] - value * x[j]
        for i in self.order:
            x[i] = x[i] * self.inverse_pivots[i]
        for i in reversed(self.order):
            for j, value in self.lower[i].items():
                x[j] = x[j] - value * x[i]
        return swapped(x, self.swaps[::-1])

    def distance(self) -> Scalar:
        """Square root of the least share of a row that counts: near a singular position, the way to it."""
        least: Scalar = 1.0
        for share, inverse in zip(self.shares, self.inverse_pivots, strict=True):
            least = where((inverse > 0.0) & (share < least), share, least)
        return sqrt(maximum(least, 0.0))

    def independent(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Values of the rows by place, with zeros for those that depend on others."""
        placed = swapped(values, self.swaps)
        return [where(x > 0.0, value, 0.0) for x, value in zip(self.inverse_pivots, placed, strict=True)]

    def half_coupled(self, y: dict[int, Scalar]) -> dict[int, Scalar]:
        """Coupling of the rows with a half-solved column y of the tree, itself half solved."""
        x: dict[int, Scalar] = {}
        for i in self.order:
            met = [(value * self.inverse_diagonal[k], y[k]) for k, value in self.Y[i].items() if k in y]
            before = [(value, x[j]) for j, value in self.lower[i].items() if j in x]
            if met or before:
                x[i] = sum((a * b for a, b in met), 0.0)
                for a, b in before:
                    x[i] = x[i] - a * b
        return x

    def response(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """M^-1 J^T lambda: the jump of v under impulses along the rows."""
        x: list[Scalar] = [0.0] * len(self.L)
        for row, value in zip(self.given, multipliers, strict=True):
            for k, y in row.items():
                x[k] = x[k] + y * value
        x = [value * scale for value, scale in zip(x, self.inverse_diagonal, strict=True)]
        for k in range(len(x)):
            for i, value in self.L[k].items():
                x[k] = x[k] - value * x[i]
        return x


@memoized
def closure_factor(
    model: Model, q: Sequence[Scalar], rows: Sequence[Row], least: Scalar | None = None
) -> ClosureFactor:
    """The factors at a position; rows with less than the `least` share, if it is given, are dependent."""
    return closure_of(crba(regroup(model), q), parent_freedoms(model), rows, least)


def nearly_singular(model: Model, q: Sequence[float]) -> str | None:
    """The loop or coupling that is closest to depending on others without doing so, if it is close."""
    if not model.closed:
        return None
    names: list[str] = []

    def looked_at(x: Sequence[Expr]) -> list[Scalar]:
        rows = closure_rows(model, x)
        factor = closure_factor(model, x, rows)
        names.extend(row_names(model)[row.index] for row in rows)
        kept = zip(factor.shares, factor.inverse_pivots, strict=True)
        return [where(inverse > 0.0, share, 1.0) for share, inverse in kept]

    shares = through_graph(looked_at, [float(x) for x in q])
    least = min(range(len(shares)), key=lambda k: float(shares[k]))  # type: ignore[arg-type]
    return names[least] if float(shares[least]) < _NEAR**2 else None  # type: ignore[arg-type]


def closure_of(
    H: Sequence[Sequence[Scalar]], parents: Sequence[int], rows: Sequence[Row], least: Scalar | None = None
) -> ClosureFactor:
    """The factors with an inertia matrix H that has the sparsity of the tree."""
    L, inverse_diagonal = factor(H, parents)
    Y = [half_solved(L, row.jacobian) for row in rows]
    A = [
        {
            j: sum((y * Y[j][k] * inverse_diagonal[k] for k, y in Y[i].items() if k in Y[j]), 0.0)
            for j in range(len(rows))
            if Y[i].keys() & Y[j].keys() and j <= i
        }
        for i in range(len(rows))
    ]
    groups = [row.group for row in rows]
    share = dependence([row.residual for row in rows], [row.jacobian for row in rows], groups)
    share = share if least is None else maximum(share, least)
    blocks = elimination_blocks(A, groups)
    done, inverse_pivots, shares, doubtful = _factor_rows(A, blocks, rows, Y, share)
    return ClosureFactor(
        rows=rows,
        L=L,
        inverse_diagonal=inverse_diagonal,
        given=Y,
        swaps=done.swaps,
        Y=done.Y,
        order=done.order,
        lower=done.lower,
        inverse_pivots=inverse_pivots,
        shares=shares,
        doubtful=doubtful,
    )


def dependence(gaps: Sequence[Scalar], J: Sequence[dict[int, Scalar]], groups: Sequence[Group]) -> Scalar:
    """The share of its group below which what is left of a row counts as nothing.

    A gap c of rows with the lever |J| turns rows against each other by about c / |J| (rad).
    """
    widest: dict[int, Scalar] = {}
    lever: dict[int, Scalar] = {}
    for gap, row, (number, scale, *_) in zip(gaps, J, groups, strict=True):
        size = sum((x * x for x in row.values()), 0.0) * (1.0 / scale**2)
        widest[number] = maximum(widest.get(number, 0.0), abs(gap) * (1.0 / scale))
        lever[number] = maximum(lever.get(number, 1e-30), size)
    angle = sum((c * c / lever[number] for number, c in widest.items()), 0.0)
    return clip(DOUBT * angle, least_share(groups), MOST_DOUBT)


def least_share(groups: Sequence[Group]) -> float:
    """The share of its group below which a row counts as dependent in a machine with closed loops."""
    rounding = max((group.rounding for group in groups), default=0.0)
    return max(DEPENDENT, _NOISE * rounding**2)


def group_sizes(diagonal: Sequence[Scalar], groups: Sequence[Group]) -> list[Scalar]:
    """Of every row, what the largest diagonal entry in its group would be at its own scale."""
    largest: dict[int, Scalar] = {}
    for value, (number, scale, *_) in zip(diagonal, groups, strict=True):
        size = value * (1.0 / scale**2)
        largest[number] = maximum(largest[number], size) if number in largest else size
    return [largest[number] * scale**2 for number, scale, *_ in groups]


def half_solved(L: Sequence[dict[int, Scalar]], jacobian: dict[int, Scalar]) -> dict[int, Scalar]:
    """L^-T J^T of one row: only degrees of freedom that support its own appear."""
    y = dict(jacobian)
    for k in reversed(range(len(L))):
        if k not in y:
            continue
        for i, value in L[k].items():
            y[i] = y[i] - value * y[k] if i in y else -(value * y[k])
    return y


def _factor_rows(
    A: Sequence[dict[int, Scalar]],
    blocks: Sequence[Sequence[int]],
    rows: Sequence[Row],
    Y: Sequence[dict[int, Scalar]],
    share: Scalar,
) -> tuple[Elimination, list[Scalar], list[Scalar], Scalar]:
    """The elimination, reciprocal pivots or zeros, shares, doubts."""
    sizes = group_sizes([row[i] for i, row in enumerate(A)], [row.group for row in rows])
    order = [i for block in blocks for i in block]
    place = {i: k for k, i in enumerate(order)}
    left: list[dict[int, Scalar]] = [{} for _ in A]
    for i, row in enumerate(A):
        for j, value in row.items():
            later, earlier = (i, j) if place[i] >= place[j] else (j, i)
            left[later][earlier] = value
    elimination = Elimination(order, left, sizes, [dict(y) for y in Y])
    inverse: list[Scalar] = [0.0] * len(A)
    shares: list[Scalar] = [0.0] * len(A)
    doubtful: Scalar = 0.0
    least = least_share([row.group for row in rows])
    for block in blocks:
        for number, k in enumerate(block, 1):
            elimination.larger_first(k, block[number:])
            pivot, size = elimination.left[k][k], elimination.sizes[k]
            independent = pivot > share * size
            shares[k] = pivot / size
            doubtful = where((pivot > least * size) & (pivot <= share * size), 1.0, doubtful)
            inverse[k] = where(independent, 1.0 / where(independent, pivot, 1.0), 0.0)
            elimination.eliminate(k, inverse[k])
    return elimination, inverse, shares, doubtful
