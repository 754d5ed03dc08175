"""The classical Runge-Kutta method, order 4, on the joints' groups (Munthe-Kaas).

The position is q (+) delta with delta a tangent step from the start of the step, whose rate accounts
for the curvature of rotations.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.integrators.system import System

__all__ = ["step"]


def step(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Position and velocity after one step of dt seconds."""
    origin: list[Scalar] = [0.0] * len(v)

    def rates(
        after: Scalar, delta: Sequence[Scalar], velocity: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        position = q if delta is origin else system.integrate(q, delta)
        return system.tangent_rate(delta, velocity), system.acceleration(position, velocity, time + after)

    half = 0.5 * dt
    d1, a1 = rates(0.0, origin, v)
    d2, a2 = rates(half, _along(origin, half, d1), _along(v, half, a1))
    d3, a3 = rates(half, _along(origin, half, d2), _along(v, half, a2))
    d4, a4 = rates(dt, _along(origin, dt, d3), _along(v, dt, a3))
    sixth = dt * (1.0 / 6.0)
    delta = [sixth * ((k1 + k4) + 2.0 * (k2 + k3)) for k1, k2, k3, k4 in zip(d1, d2, d3, d4, strict=True)]
    change = [sixth * ((k1 + k4) + 2.0 * (k2 + k3)) for k1, k2, k3, k4 in zip(a1, a2, a3, a4, strict=True)]
    return system.integrate(q, delta), [x + dx for x, dx in zip(v, change, strict=True)]


def _along(start: Sequence[Scalar], dt: Scalar, rate: Sequence[Scalar]) -> list[Scalar]:
    return [x + dt * dx for x, dx in zip(start, rate, strict=True)]
