"""Implicit Euler, order 1: stable at any step, and damps what it does not resolve.

    v' = v + h a(q', v'),    q' = q (+) h v'

Solved for v' as the balance of forces at the end of the step, M a + C - f = J^T y with a = (v' - v) / h, so
that loops are closed there, c(q') = 0; then impulses of the loops take away what of v' would open them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.integrators.closing import along_loops, loop_force, loop_groups, loop_jacobian, opened
from treadle.integrators.method import Advance, Method
from treadle.integrators.newton import newton
from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""

    def end(new: Sequence[Scalar]) -> list[Scalar]:
        return system.integrate(q, [dt * x for x in new])

    def residual(new: list[Scalar], y: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        position = end(new)
        a = [(x1 - x0) / dt for x0, x1 in zip(v, new, strict=True)]
        needed = system.balance(position, new, a, time + dt)
        force = loop_force(loop_jacobian(system, position, held=True), y, len(v))
        return [x - f for x, f in zip(needed, force, strict=True)], opened(system, q, position)

    new, _, effort = newton(residual, v, 1e-3, loop_groups(system.model))
    position = end(new)
    return Advance(position, along_loops(system, position, new), effort=effort)


METHOD = Method(step, 1, "implicit Euler: stable at any step, damps", iterates=True, loops="positions")
