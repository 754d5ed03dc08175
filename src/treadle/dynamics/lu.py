"""Linear equations with the sparsity of a tree, not necessarily symmetric.

Eliminating from the leaves to the root fills nothing in: entry (i, j) is there only where one freedom
supports the other. There is no pivoting; the matrices are an inertia matrix with smaller terms added.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar

__all__ = ["lu_solve"]


def lu_solve(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b, by elimination from the last row to the first."""
    rows = [{j: x for j, x in enumerate(row) if not _zero(x)} for row in A]
    x = list(b)
    for k in reversed(range(len(rows))):
        inverse = 1.0 / rows[k][k]
        for i in range(k):
            if k not in rows[i]:
                continue
            factor = rows[i].pop(k) * inverse
            for j, value in rows[k].items():
                if j < k:
                    rows[i][j] = rows[i][j] - factor * value if j in rows[i] else -(factor * value)
            x[i] = x[i] - factor * x[k]
        rows[k][k] = inverse
    for k in range(len(rows)):
        for j, value in rows[k].items():
            if j < k:
                x[k] = x[k] - value * x[j]
        x[k] = x[k] * rows[k][k]
    return x


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
