"""The implicit midpoint rule, order 2: symmetric in time, stable for stiff springs, adds no damping.

v' = v + h a(q (+) h w / 2, w),    q' = q (+) h w,    w = (v + v') / 2
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
    half = 0.5 * dt

    def unbalanced(middle: list[Scalar]) -> list[Scalar]:
        a = [(w - x) / half for w, x in zip(middle, v, strict=True)]
        return system.balance(system.integrate(q, [half * w for w in middle]), middle, a, time + half)

    middle, effort = newton(unbalanced, v, scale=1e-3)
    new = [2.0 * w - x for w, x in zip(middle, v, strict=True)]
    return Advance(system.integrate(q, [dt * w for w in middle]), new, effort=effort)


METHOD = Method(step, 2, "implicit midpoint rule: no damping, stable for stiff springs", iterates=True)
