"""Symplectic Euler, order 1: kick, then drift with the new velocity.

    v' = v + h a(q, v),    q' = q (+) h v'

Joint dampers are taken at the new velocity, so no damping is too strong for the step. Stops and friction of
the joints act on the new velocity before the drift. So do wheels (see `rolling`).
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.integrators.kinematic import kinematic_step
from treadle.integrators.method import Advance, Method
from treadle.integrators.rolling import BALANCED, rolling_memory, rolling_step
from treadle.integrators.system import System
from treadle.wheels.rolling import wheel_force

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    if system.terrain is not None and system.model.wheels:
        if system.rolling in BALANCED:
            return rolling_step(system, q, v, time, dt)
        if system.rolling == "kinematic":
            return kinematic_step(system, q, v, time, dt)
    held = system.kick(q, v, time, dt)
    position = system.integrate(q, [dt * x for x in held.v])
    work = held.work
    if system.terrain is not None and system.model.wheels:
        pushed = wheel_force(system.model, q, v, system.terrain)
        moved = [0.5 * (a + b) for a, b in zip(v, held.v, strict=True)]
        work = work + dt * sum((f * x for f, x in zip(pushed, moved, strict=True)), 0.0)
    return Advance(position, held.v, system.memory, work=work)


METHOD = Method(
    step,
    1,
    "symplectic Euler with implicit dampers: one evaluation a step, robust",
    loops="accelerations",
    memory=rolling_memory,
    arrests=True,
)
