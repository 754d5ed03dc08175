"""Newton's method with exact Jacobians, down to rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.dynamics.lu import lu_solve
from treadle.graph import Expr, Scalar, iterate, jacobian, maximum, through_graph

__all__ = ["newton"]

#: Rounds after which the method gives up.
_LIMIT = 30

#: Relative changes below this count as converged, once they no longer shrink.
_SMALL = 1e-8


def newton(
    residual: Callable[[list[Scalar]], Sequence[Scalar]], start: Sequence[Scalar], scale: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """x with residual(x) = 0, and the effort: rounds, and the last change relative to x and the scale.

    It goes on until the changes are below rounding or, once they are small, no longer halve.
    """
    n = len(start)

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        x, (rounds, previous) = values[:n], values[n:]
        step = _newton_step(residual, x)
        new = [a - b for a, b in zip(x, step, strict=True)]
        size = scale
        largest: Scalar = 0.0
        for value, moved in zip(new, step, strict=True):
            size = maximum(size, abs(value))
            largest = maximum(largest, abs(moved))
        change = largest / size
        go_on = (change > 1e-16) & ((change < 0.5 * previous) | (change > _SMALL))
        return [*new, rounds + 1.0, change], go_on

    result = iterate(one_round, [*start, 0.0, 1e30], _LIMIT)
    return result[:n], result[n:]


def _newton_step(residual: Callable[[list[Scalar]], Sequence[Scalar]], x: list[Scalar]) -> list[Scalar]:
    """J^-1 r at x; plain numbers are traced and evaluated."""

    def solved(unknown: list[Expr]) -> list[Scalar]:
        r = list(residual(unknown))  # type: ignore[arg-type]
        return lu_solve(jacobian(r, unknown), r)

    return through_graph(solved, x)
