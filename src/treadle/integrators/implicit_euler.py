"""Implicit Euler, order 1: stable at any step, and damps what it does not resolve.

    v' = v + h a(q', v'),    q' = q (+) h v'

Solved for v' as the balance of forces at the end of the step, M a + C - f = 0 with a = (v' - v) / h.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.integrators.method import Advance, Method
from treadle.integrators.newton import newton
from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""

    def end(new: Sequence[Scalar]) -> list[Scalar]:
        return system.integrate(q, [dt * x for x in new])

    def unbalanced(new: list[Scalar]) -> list[Scalar]:
        a = [(x1 - x0) / dt for x0, x1 in zip(v, new, strict=True)]
        return system.balance(end(new), new, a, time + dt)

    new, effort = newton(unbalanced, v, scale=1e-3)
    return Advance(end(new), new, effort=effort)


METHOD = Method(step, 1, "implicit Euler: stable at any step, damps", iterates=True)
