"""The implicit midpoint rule, order 2: symmetric in time, stable for stiff springs, adds no damping.

    v' = v + h a(q (+) h w / 2, w),    q' = q (+) h w,    w = (v + v') / 2

Closed loops push at both ends of the step, which keeps it symmetric: with J(q)^T y at first, so that they are
closed at q', and with J(q')^T z at last, so that v' does not open them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.cholesky import factor, parent_freedoms, solve
from treadle.dynamics.crba import crba
from treadle.graph import Scalar
from treadle.integrators.closing import along_loops, loop_force, loop_groups, loop_jacobian, opened
from treadle.integrators.method import Advance, Method
from treadle.integrators.newton import newton
from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    half = 0.5 * dt

    J = loop_jacobian(system, q)

    def residual(w: list[Scalar], y: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        a = [(x1 - x0) / half for x1, x0 in zip(w, v, strict=True)]
        needed = system.balance(system.integrate(q, [half * x for x in w]), w, a, time + half)
        force = loop_force(J, y, len(v))
        closed = opened(system, q, system.integrate(q, [dt * x for x in w]))
        return [x - f for x, f in zip(needed, force, strict=True)], closed

    w, y, effort = newton(residual, v, 1e-3, loop_groups(system.model))
    end = system.integrate(q, [dt * x for x in w])
    new = [2.0 * x1 - x0 for x1, x0 in zip(w, v, strict=True)]
    if system.model.closed:
        # the loops' push at the start is not repeated at the end, where they have their own
        middle = system.integrate(q, [half * x for x in w])
        L, diagonal = factor(crba(system.model, middle), parent_freedoms(system.model))
        pushed = solve(L, diagonal, loop_force(J, [half * x for x in y], len(v)))
        new = along_loops(system, end, [x - p for x, p in zip(new, pushed, strict=True)], inertia_at=middle)
    return Advance(end, new, effort=effort)


METHOD = Method(
    step, 2, "implicit midpoint rule: no damping, stable for stiff springs", iterates=True, loops="positions"
)
