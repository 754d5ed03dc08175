"""Signals of joints, each a function of the signal's name, the model and the joint's number."""

from __future__ import annotations

from treadle.model.model import Model
from treadle.sim.recording.signals.signal import Signal

__all__ = ["acceleration", "position", "reaction_force", "reaction_torque", "torque", "velocity"]

_XYZ = ("x", "y", "z")

#: Unit of the force along a degree of freedom, by the unit of its velocity.
_FORCE_UNITS = {"rad/s": "N m", "m/s": "N"}


def position(name: str, model: Model, number: int) -> Signal:
    """Position, a quaternion (w, x, y, z) for rotations in space."""
    joint = model.joints[number]
    return Signal.of(name, joint.type.positions, joint.type.position_units, lambda at: at.q[joint.q])


def velocity(name: str, model: Model, number: int) -> Signal:
    """Velocity along the degrees of freedom."""
    joint = model.joints[number]
    return Signal.of(name, joint.type.velocities, joint.type.velocity_units, lambda at: at.v[joint.v])


def acceleration(name: str, model: Model, number: int) -> Signal:
    """Rate of the velocity under all forces at that instant."""
    joint = model.joints[number]
    units = [f"{unit}^2" for unit in joint.type.velocity_units]
    return Signal.of(name, joint.type.velocities, units, lambda at: at.acceleration[joint.v], True)


def torque(name: str, model: Model, number: int) -> Signal:
    """Joint force by the user, controllers and actuators: N m for rotations, N for translations."""
    joint = model.joints[number]
    units = [_FORCE_UNITS[unit] for unit in joint.type.velocity_units]
    return Signal.of(name, joint.type.velocities, units, lambda at: at.tau[joint.v])


def reaction_force(name: str, model: Model, number: int) -> Signal:
    """Force on the joint's body from its parent, in world axes."""
    return Signal.of(name, _XYZ, "N", lambda at: list(at.reactions[number].linear), True)


def reaction_torque(name: str, model: Model, number: int) -> Signal:
    """Moment of that force about the joint's origin on the body, in world axes."""
    return Signal.of(name, _XYZ, "N m", lambda at: list(at.reactions[number].angular), True)
