"""Linear equations with the sparsity of a tree, not necessarily symmetric: A = U L.

Eliminating from the leaves to the root fills nothing in: entry (i, j) is there only where one freedom
supports the other. There is no pivoting; the matrices are an inertia matrix with smaller terms added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.graph import Scalar

__all__ = ["TreeFactors", "lu_factor", "lu_solve"]


def lu_solve(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b, by elimination from the last row to the first."""
    factors = lu_factor(A)
    x = factors.half_solved(dict(enumerate(b)))
    return factors.solved([x[k] for k in range(len(b))])


@dataclass(frozen=True)
class TreeFactors:
    """Unit upper-triangular U, by columns, and lower-triangular L, by rows, with 1 over its diagonal."""

    upper: Sequence[dict[int, Scalar]]
    lower: Sequence[dict[int, Scalar]]
    inverse_diagonal: Sequence[Scalar]

    def half_solved(self, b: dict[int, Scalar]) -> dict[int, Scalar]:
        """U^-1 b of a column without its zeros: only freedoms that support its own are added."""
        x = dict(b)
        for k in reversed(range(len(self.upper))):
            if k in x:
                for i, value in self.upper[k].items():
                    x[i] = x[i] - value * x[k] if i in x else -(value * x[k])
        return x

    def solved(self, x: Sequence[Scalar]) -> list[Scalar]:
        """L^-1 x."""
        result = list(x)
        for k in range(len(result)):
            for j, value in self.lower[k].items():
                result[k] = result[k] - value * result[j]
            result[k] = result[k] * self.inverse_diagonal[k]
        return result

    def half_solved_row(self, g: dict[int, Scalar]) -> dict[int, Scalar]:
        """g L^-1 of a row without its zeros: only freedoms that support its own are added."""
        y = dict(g)
        for k in reversed(range(len(self.lower))):
            if k in y:
                y[k] = y[k] * self.inverse_diagonal[k]
                for j, value in self.lower[k].items():
                    y[j] = y[j] - value * y[k] if j in y else -(value * y[k])
        return y


def lu_factor(A: Sequence[Sequence[Scalar]]) -> TreeFactors:
    """U and L with A = U L."""
    rows = [{j: x for j, x in enumerate(row) if not _zero(x)} for row in A]
    upper: list[dict[int, Scalar]] = [{} for _ in rows]
    inverse: list[Scalar] = [0.0] * len(rows)
    for k in reversed(range(len(rows))):
        inverse[k] = 1.0 / rows[k].pop(k)
        for i in range(k):
            if k not in rows[i]:
                continue
            factor = upper[k][i] = rows[i].pop(k) * inverse[k]
            for j, value in rows[k].items():
                rows[i][j] = rows[i][j] - factor * value if j in rows[i] else -(factor * value)
    return TreeFactors(upper, rows, inverse)


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
