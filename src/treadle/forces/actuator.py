"""Actuators: drives on single coordinates, each a force that may depend on the position and the velocity.

    motor      gain u
    position   stiffness (u - q) - damping v
    velocity   damping (u - v)
    general    gain u + bias0 + bias1 q + bias2 v
    cylinder   pressures times areas (see `cylinder`)
    muscle     force-length and force-velocity curves times the activation (see `muscle`)

The coordinate is a degree of freedom of a joint, or the length of a tendon with its moment arms. With a time
constant T, u follows the command by T du/dt = command - u.

Rigid motors (rigid_position, rigid_velocity) follow no such law: see `treadle.constraints.motor`.

u is the command, held within [lower, upper]; the force is held within [-effort, effort]. A step that takes
the end of the step for q and v asks for the force as F - D v' with the velocity v' there: stiff servos
are then stable at any step. A drive at its limit no longer depends on v'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treadle.forces.cylinder import CYLINDER_STATE, cylinder_drive, cylinder_pressures
from treadle.forces.muscle import MUSCLE_STATE, muscle_activation, muscle_force, muscle_slopes
from treadle.forces.tendon import tendon_coordinate
from treadle.graph import Scalar, clip, exp, where
from treadle.model.attachments import Actuator
from treadle.model.model import Model

__all__ = [
    "Drive", "Driven", "actuator_drives", "actuator_state", "actuator_state_size", "actuator_units",
    "driven_coordinate", "state_places",
]  # fmt: skip


class Drive(NamedTuple):
    """The force F - D v' of an actuator on its coordinate."""

    force: Scalar
    damping: Scalar


class Driven(NamedTuple):
    """What an actuator drives: position (None for a turn in space), rate, and moment arms by dof."""

    position: Scalar | None
    rate: Scalar
    arms: dict[int, Scalar]


def driven_coordinate(model: Model, actuator: Actuator, q: Sequence[Scalar], v: Sequence[Scalar]) -> Driven:
    """What an actuator drives, at a state."""
    if actuator.tendon is None:
        assert actuator.v is not None
        return Driven(None if actuator.q is None else q[actuator.q], v[actuator.v], {actuator.v: 1.0})
    length, arms = tendon_coordinate(model, model.tendons[actuator.tendon], q)
    return Driven(length, sum((arm * v[k] for k, arm in arms.items()), 0.0), arms)


def actuator_units(model: Model, actuator: Actuator) -> tuple[str, str, str]:
    """Units of the position, velocity and force of what an actuator drives."""
    if actuator.tendon is not None and model.tendons[actuator.tendon].path:
        return "m", "m/s", "N"
    if actuator.tendon is not None:
        # a sum of positions, which may turn and slide
        names = {model.bodies[body].joint.name for body in model.tendons[actuator.tendon].bodies(model)}
        rates = {unit for name in names for unit in model.joint(name).type.velocity_units}
    else:
        rates = {model.joint(actuator.joint).type.velocity_units[actuator.freedom]}
    return ("rad", "rad/s", "N m") if rates == {"rad/s"} else ("m", "m/s", "N")


def actuator_state_size(model: Model) -> int:
    """Numbers that actuators keep from step to step: pressures of cylinders, activations."""
    return sum(_state_size(actuator) for actuator in model.actuators)


def state_places(model: Model) -> list[slice]:
    """Where the own state of every actuator is among those of all."""
    places, taken = [], 0
    for actuator in model.actuators:
        places.append(slice(taken, taken + _state_size(actuator)))
        taken = places[-1].stop
    return places


def _state_size(actuator: Actuator) -> int:
    if actuator.type == "cylinder":
        return CYLINDER_STATE
    if actuator.type == "muscle":
        return MUSCLE_STATE
    return 1 if actuator.time_constant != 0.0 else 0


def actuator_drives(
    model: Model,
    commands: Sequence[Scalar],
    state: Sequence[Scalar],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    step: Scalar = 0.0,
    middle: bool = False,
) -> list[Drive]:
    """The drive of every actuator; `step` is the time (s) to the velocity v', zero if that is now.

    q is the position at the start of the step, or in its `middle`.
    """
    ahead = 0.5 * step if middle else step
    drives = []
    for actuator, u, own in _each(model, commands, state):
        driven = driven_coordinate(model, actuator, q, v)
        # one that couples branches acts as at the start of a step that has to keep the tree's zeros
        late = ahead if actuator.tendon is None or model.tendons[actuator.tendon].implicit else 0.0
        x = 0.0 if driven.position is None else driven.position
        if actuator.type == "cylinder":
            drive = Drive(*cylinder_drive(actuator, _stroke(model, actuator), u, own, x, step))
        elif actuator.type == "muscle":
            assert actuator.muscle is not None
            drive = _muscle(actuator, own[0], x, driven.rate, late)
        elif actuator.rigid:
            drive = Drive(0.0, 0.0)
        else:
            drive = _linear(actuator, own[0] if own else u, x, late)
        drives.append(_limited(drive, actuator.effort, driven.rate))
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
    for actuator, u, own in _each(model, commands, state):
        if actuator.type == "cylinder":
            driven = driven_coordinate(model, actuator, q, v)
            x = 0.0 if driven.position is None else driven.position
            kept += cylinder_pressures(actuator, _stroke(model, actuator), u, own, x, driven.rate, step)
        elif actuator.muscle is not None:
            kept.append(muscle_activation(actuator.muscle, u, own[0], step))
        elif own:
            kept.append(own[0] + (u - own[0]) * (1.0 - exp(-step / actuator.time_constant)))
    return kept


def _each(
    model: Model, commands: Sequence[Scalar], state: Sequence[Scalar]
) -> Iterator[tuple[Actuator, Scalar, Sequence[Scalar]]]:
    """Every actuator with its command in range and its part of the state."""
    for actuator, command, place in zip(model.actuators, commands, state_places(model), strict=True):
        yield actuator, _held(command, actuator.lower, actuator.upper), state[place]


def _stroke(model: Model, actuator: Actuator) -> float:
    """Length (m) of a cylinder's stroke: where its joint stops."""
    return model.joint(actuator.joint).upper[actuator.freedom]


def _linear(actuator: Actuator, u: Scalar, position: Scalar, step: Scalar) -> Drive:
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
    return Drive(gain * u + constant + by_q * position, -(by_v + by_q * step))


def _muscle(actuator: Actuator, activation: Scalar, position: Scalar, rate: Scalar, step: Scalar) -> Drive:
    """The pull of a muscle, which falls as it shortens: linear in the velocity and position at the end."""
    assert actuator.muscle is not None
    gain, muscle = actuator.gain, actuator.muscle
    force = gain * muscle_force(muscle, activation, gain * position, gain * rate)
    stiffness, damping = muscle_slopes(muscle, activation, gain * position, gain * rate)
    damping = gain * gain * damping
    return Drive(force + damping * rate, damping + (gain * gain * step) * stiffness)


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
