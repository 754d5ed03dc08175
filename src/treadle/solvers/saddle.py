"""Equations of motion and of constraints solved together, where they are not symmetric.

    K x - B y = r,    G x = c        (nv, m unknowns)

With K = U L by the tree's sparsity the rows meet in S = (G L^-1)(U^-1 B), which is eliminated row by row,
with diagonal pivoting inside of loops (see `solvers.pivoting`). A row whose remainder is next to nothing
depends on those before it and gets y = 0, as in `solvers.closure`.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.rows import Group
from treadle.dynamics.lu import lu_factor
from treadle.graph import Scalar, where
from treadle.solvers.closure import dependence, group_sizes
from treadle.solvers.pivoting import Swap, elimination_blocks, swapped

__all__ = ["saddle_solve"]


def saddle_solve(
    K: Sequence[Sequence[Scalar]],
    B: Sequence[dict[int, Scalar]],
    G: Sequence[dict[int, Scalar]],
    r: Sequence[Scalar],
    c: Sequence[Scalar],
    groups: Sequence[Group],
    gaps: Sequence[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    """x (nv) and y (m). B is given by columns, G by rows, zeros left out.

    `groups` tells which rows one is compared with to find out whether it depends on others, `gaps` how far
    they are open where B and G are taken.
    """
    factors = lu_factor(K)
    columns = [factors.half_solved(column) for column in B]
    rows = [factors.half_solved_row(row) for row in G]
    free = factors.half_solved(dict(enumerate(r)))
    S = [
        {
            j: sum((row[k] * column[k] for k in row if k in column), 0.0)
            for j, column in enumerate(columns)
            if row.keys() & column.keys()
        }
        for row in rows
    ]
    missing = [
        value - sum((x * free[k] for k, x in row.items()), 0.0) for value, row in zip(c, rows, strict=True)
    ]
    y = _solve_rows(S, missing, groups, dependence(gaps, B, groups))
    for value, column in zip(y, columns, strict=True):
        for k, x in column.items():
            free[k] = free[k] + x * value
    return factors.solved([free[k] for k in range(len(r))]), y


def _solve_rows(
    S: list[dict[int, Scalar]], b: list[Scalar], groups: Sequence[Group], share: Scalar
) -> list[Scalar]:
    """y with S y = b; zero for rows that depend on others."""
    sizes = group_sizes([abs(S[i][i]) for i in range(len(S))], groups)
    blocks = elimination_blocks(S, groups)
    order = [k for block in blocks for k in block]
    swaps: list[Swap] = []
    inverse: dict[int, Scalar] = {}
    for block in blocks:
        for number, k in enumerate(block, 1):
            for j in block[number:]:
                swaps.append(Swap(k, j, abs(S[j][j]) * sizes[k] > abs(S[k][k]) * sizes[j]))
                _exchange(S, b, sizes, swaps[-1])
            pivot = S[k][k]
            independent = abs(pivot) > share * sizes[k]
            inverse[k] = where(independent, 1.0 / where(independent, pivot, 1.0), 0.0)
            _eliminate(S, b, k, inverse[k], order[len(inverse) :])
    y: list[Scalar] = [0.0] * len(b)
    for place, k in reversed(list(enumerate(order))):
        known = sum((S[k][j] * y[j] for j in order[place + 1 :] if j in S[k]), 0.0)
        y[k] = (b[k] - known) * inverse[k]
    return swapped(y, swaps[::-1])


def _exchange(S: list[dict[int, Scalar]], b: list[Scalar], sizes: list[Scalar], swap: Swap) -> None:
    """Let two rows change places, and the two columns of their unknowns."""
    k, j, taken = swap
    for column in sorted(S[k].keys() | S[j].keys()):
        x, y = S[k].get(column, 0.0), S[j].get(column, 0.0)
        S[k][column], S[j][column] = where(taken, y, x), where(taken, x, y)
    for row in S:
        if k in row or j in row:
            x, y = row.get(k, 0.0), row.get(j, 0.0)
            row[k], row[j] = where(taken, y, x), where(taken, x, y)
    for values in (b, sizes):
        values[k], values[j] = where(taken, values[j], values[k]), where(taken, values[k], values[j])


def _eliminate(
    S: list[dict[int, Scalar]], b: list[Scalar], k: int, inverse: Scalar, later: Sequence[int]
) -> None:
    """Take the row k, with the reciprocal of its pivot or zero, out of those that follow."""
    for i in later:
        if k not in S[i]:
            continue
        factor = S[i].pop(k) * inverse
        for j in later:
            if j in S[k]:
                S[i][j] = S[i][j] - factor * S[k][j] if j in S[i] else -(factor * S[k][j])
        b[i] = b[i] - factor * b[k]
