"""Newton's method with exact Jacobians, down to rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from treadle.constraints.rows import Group
from treadle.graph import Expr, Scalar, iterate, jacobian, maximum, through_graph
from treadle.solvers.saddle import saddle_solve

__all__ = ["Solution", "newton"]

#: Rounds after which the method gives up.
_LIMIT = 30

#: Relative changes below this count as converged, once they no longer shrink.
_SMALL = 1e-8

#: x, y -> what is out of balance, which depends linearly on y, and how far the loops are open.
Residual = Callable[[list[Scalar], list[Scalar]], tuple[Sequence[Scalar], Sequence[Scalar]]]


class Solution(NamedTuple):
    """Unknowns x, multipliers y of the loops, and the effort: rounds, and the last relative change of x."""

    x: list[Scalar]
    multipliers: list[Scalar]
    effort: list[Scalar]


def newton(
    residual: Residual, start: Sequence[Scalar], scale: Scalar, groups: Sequence[Group] = ()
) -> Solution:
    """x and y where both parts of residual(x, y) vanish; changes count relative to x and the scale.

    It continues until the changes are below rounding or, once they are small, no longer halve. `groups` are
    those of the loops' rows (see `closing.loop_groups`): as many multipliers there are.
    """
    n, m = len(start), len(groups)

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        x, y, (rounds, previous) = values[:n], values[n : n + m], values[n + m :]
        step = _newton_step(residual, x, y, groups)
        new = [a + b for a, b in zip([*x, *y], step, strict=True)]
        size = scale
        largest: Scalar = 0.0
        for value, moved in zip(new[:n], step[:n], strict=True):
            size = maximum(size, abs(value))
            largest = maximum(largest, abs(moved))
        change = largest / size
        go_on = (change > 1e-16) & ((change < 0.5 * previous) | (change > _SMALL))
        return [*new, rounds + 1.0, change], go_on

    result = iterate(one_round, [*start, *[0.0] * m, 0.0, 1e30], _LIMIT)
    return Solution(result[:n], result[n : n + m], result[n + m :])


def _newton_step(
    residual: Residual, x: list[Scalar], y: list[Scalar], groups: Sequence[Group]
) -> list[Scalar]:
    """The change of x and y; plain numbers are traced and evaluated."""
    n = len(x)

    def solved(unknown: list[Expr]) -> list[Scalar]:
        x, y = unknown[:n], unknown[n:]
        unbalanced, open_by = (list(part) for part in residual(x, y))  # type: ignore[arg-type]
        K = jacobian(unbalanced, x)
        B = [_sparse([-slope for slope in column]) for column in _columns(unbalanced, y)]
        G = [_sparse(row) for row in jacobian(open_by, x)]
        dx, dy = saddle_solve(K, B, G, [-r for r in unbalanced], [-c for c in open_by], groups, open_by)
        return [*dx, *dy]

    return through_graph(solved, [*x, *y])


def _columns(outputs: Sequence[Scalar], inputs: Sequence[Expr]) -> list[list[Scalar]]:
    """Derivatives of the outputs by every input."""
    return [list(column) for column in zip(*jacobian(outputs, inputs), strict=True)]


def _sparse(values: Sequence[Scalar]) -> dict[int, Scalar]:
    return {k: x for k, x in enumerate(values) if not (isinstance(x, float) and x == 0.0)}
