"""Actuators: drives on single freedoms, each a force that may depend on the position and the velocity.

    motor      gain u
    position   stiffness (u - q) - damping v
    velocity   damping (u - v)
    general    gain u + bias0 + bias1 q + bias2 v
    cylinder   pressures times areas (see `cylinder`)

Rigid motors (rigid_position, rigid_velocity) follow no such law: see `treadle.constraints.motor`.

u is the command, held within [lower, upper]; the force is held within [-effort, effort]. A step that takes
the end of the step for q and v asks for the force as F - D v' with the velocity v' there: stiff servos
are then stable at any step. A drive at its limit no longer depends on v'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treadle.forces.cylinder import CYLINDER_STATE, cylinder_drive, cylinder_pressures
from treadle.graph import Scalar, clip, where
from treadle.model.attachments import Actuator
from treadle.model.model import Model

__all__ = ["Drive", "actuator_drives", "actuator_state", "actuator_state_size"]


class Drive(NamedTuple):
    """The force F - D v' of an actuator on its freedom."""

    force: Scalar
    damping: Scalar


def actuator_state_size(model: Model) -> int:
    """Numbers that actuators keep from step to step: the pressures of cylinders."""
    return CYLINDER_STATE * sum(actuator.type == "cylinder" for actuator in model.actuators)


def actuator_drives(
    model: Model,
    commands: Sequence[Scalar],
    state: Sequence[Scalar],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    step: Scalar = 0.0,
) -> list[Drive]:
    """The drive of every actuator; `step` is the time (s) to the velocity v', zero if that is now."""
    drives = []
    for actuator, u, pressures in _each(model, commands, state):
        if actuator.type == "cylinder":
            x = q[actuator.q] if actuator.q is not None else 0.0
            drive = Drive(*cylinder_drive(actuator, _stroke(model, actuator), u, pressures, x, step))
        elif actuator.rigid:
            drive = Drive(0.0, 0.0)
        else:
            drive = _linear(actuator, u, q, step)
        drives.append(_limited(drive, actuator.effort, v[actuator.v]))
    return drives


def actuator_state(
    model: Model,
    commands: Sequence[Scalar],
    state: Sequence[Scalar],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    step: Scalar,
) -> list[Scalar]:
    """What actuators keep after a step from q that ended with the velocity v."""
    kept: list[Scalar] = []
    for actuator, u, pressures in _each(model, commands, state):
        if actuator.type == "cylinder":
            x = q[actuator.q] if actuator.q is not None else 0.0
            length = _stroke(model, actuator)
            kept += cylinder_pressures(actuator, length, u, pressures, x, v[actuator.v], step)
    return kept


def _each(
    model: Model, commands: Sequence[Scalar], state: Sequence[Scalar]
) -> Iterator[tuple[Actuator, Scalar, Sequence[Scalar]]]:
    """Every actuator with its command in range and its part of the state."""
    taken = 0
    for actuator, command in zip(model.actuators, commands, strict=True):
        size = CYLINDER_STATE if actuator.type == "cylinder" else 0
        yield actuator, _held(command, actuator.lower, actuator.upper), state[taken : taken + size]
        taken += size


def _stroke(model: Model, actuator: Actuator) -> float:
    """Length (m) of a cylinder's stroke: where its joint stops."""
    return model.joint(actuator.joint).upper[actuator.freedom]


def _linear(actuator: Actuator, u: Scalar, q: Sequence[Scalar], step: Scalar) -> Drive:
    """gain u + bias . (1, q, v), with q at the end of the step."""
    stiffness, damping = actuator.stiffness, actuator.damping
    match actuator.type:
        case "motor":
            gain, (constant, by_q, by_v) = actuator.gain, (0.0, 0.0, 0.0)
        case "position":
            gain, (constant, by_q, by_v) = stiffness, (0.0, -stiffness, -damping)
        case "velocity":
            gain, (constant, by_q, by_v) = damping, (0.0, 0.0, -damping)
        case _:
            gain, (constant, by_q, by_v) = actuator.gain, actuator.bias
    position = 0.0 if actuator.q is None else q[actuator.q]
    return Drive(gain * u + constant + by_q * position, -(by_v + by_q * step))


def _held(command: Scalar, lower: float | None, upper: float | None) -> Scalar:
    low = float("-inf") if lower is None else lower
    high = float("inf") if upper is None else upper
    return command if low == float("-inf") and high == float("inf") else clip(command, low, high)


def _limited(drive: Drive, effort: float | None, v: Scalar) -> Drive:
    """The drive, or a constant force where its own would be beyond the effort."""
    if effort is None or effort == float("inf"):
        return drive
    expected = drive.force - drive.damping * v
    inside = (expected < effort) & (expected > -effort)
    return Drive(
        where(inside, drive.force, where(expected > 0.0, effort, -effort)), where(inside, drive.damping, 0.0)
    )
