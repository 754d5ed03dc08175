"""Symplectic Euler, order 1: kick, then drift with the new velocity.

    v' = v + h a(q, v),    q' = q (+) h v'

Closed loops get the impulse that closes them at q' (see `solvers.direct.closed_kick`). Joint dampers are
taken at the new velocity, so no damping is too strong for the step. Stops and friction of the joints act on
the new velocity before the drift. So do wheels (see `rolling`).

Kick and drift are a leapfrog, whose velocities belong half a step before the positions. Convective terms
taken with such a velocity would let the energy drift in proportion to h. Trees with force elements that may
be stiff keep the last acceleration a, and take these terms with v + h a / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treadle.graph import Scalar
from treadle.integrators.method import Advance, Method
from treadle.model.model import Model

if TYPE_CHECKING:
    from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    if system.terrain is not None and system.model.wheels:
        return _step_on_wheels(system, q, v, time, dt)
    staggered = _staggered(system.model) and len(system.memory) == len(v)
    convective = [x + (0.5 * dt) * a for x, a in zip(v, system.memory, strict=True)] if staggered else None
    held = system.kick(q, v, time, dt, convective)
    memory = [(x - y) / dt for x, y in zip(held.v, v, strict=True)] if staggered else system.memory
    position = system.integrate(q, [dt * x for x in held.v])
    return Advance(position, held.v, memory, work=held.work, rows=held.rows)


def _staggered(model: Model) -> bool:
    """Whether convective terms are taken at the velocity of the position."""
    return not model.closed and any(element.implicit for element in model.elements)


def _step_on_wheels(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar
) -> Advance:
    # most machines have no wheels, and all that they need takes long to import
    from treadle.integrators.kinematic import kinematic_step
    from treadle.integrators.rolling import BALANCED, rolling_step
    from treadle.wheels.rolling import wheel_force

    if system.rolling in BALANCED:
        return rolling_step(system, q, v, time, dt)
    if system.rolling == "kinematic":
        return kinematic_step(system, q, v, time, dt)
    assert system.terrain is not None
    held = system.kick(q, v, time, dt)
    position = system.integrate(q, [dt * x for x in held.v])
    pushed = wheel_force(system.model, q, v, system.terrain)
    moved = [0.5 * (a + b) for a, b in zip(v, held.v, strict=True)]
    work = held.work + dt * sum((f * x for f, x in zip(pushed, moved, strict=True)), 0.0)
    return Advance(position, held.v, system.memory, work=work)


def _memory(model: Model) -> int:
    if not model.wheels:
        return model.nv if _staggered(model) else 0
    from treadle.integrators.rolling import rolling_memory

    return rolling_memory(model)


METHOD = Method(
    step,
    1,
    "symplectic Euler with implicit dampers: one evaluation a step, robust",
    loops="accelerations",
    memory=_memory,
    arrests=True,
    flows=False,
)
