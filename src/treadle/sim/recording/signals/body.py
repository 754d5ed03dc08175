"""Signals of links and frames, each a function of the signal's name, the model and the frame's number."""

from __future__ import annotations

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.recording.signals.signal import Signal
from treadle.spatial import Quaternion

__all__ = ["acceleration", "pose", "velocity"]

#: Components of a pose: the origin, and the rotation as a quaternion with qw >= 0.
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


def pose(name: str, model: Model, number: int) -> Signal:
    """Pose in the world: position in m, then the rotation as a unit quaternion."""

    def values(at: Moment) -> list[Scalar]:
        X_WF = at.frames[number]
        return [*X_WF.translation, *Quaternion.of_matrix(X_WF.rotation)]

    return Signal.of(name, POSE, ("m",) * 3 + ("1",) * 4, values)


def velocity(name: str, model: Model, number: int) -> Signal:
    """Angular velocity, and velocity of the origin, in world axes."""
    frame = model.frames[number]

    def values(at: Moment) -> list[Scalar]:
        if frame.body == WORLD:
            return [0.0] * 6
        motion = frame.placement.motion_to_child(at.velocities[frame.body])
        rotation = at.frames[number].rotation
        return [*rotation.apply(motion.angular), *rotation.apply(motion.linear)]

    return Signal.of(name, ("wx", "wy", "wz", "vx", "vy", "vz"), ("rad/s",) * 3 + ("m/s",) * 3, values)


def acceleration(name: str, model: Model, number: int) -> Signal:
    """Angular acceleration, and acceleration of the origin, in world axes, under all forces at that
    instant.
    """
    frame = model.frames[number]

    def values(at: Moment) -> list[Scalar]:
        if frame.body == WORLD:
            return [0.0] * 6
        velocity = frame.placement.motion_to_child(at.velocities[frame.body])
        rate = frame.placement.motion_to_child(at.accelerations[frame.body])
        # a spatial acceleration is that of the points that pass the origin
        linear = rate.linear + velocity.angular.cross(velocity.linear)
        rotation = at.frames[number].rotation
        return [*rotation.apply(rate.angular), *rotation.apply(linear)]

    units = ("rad/s^2",) * 3 + ("m/s^2",) * 3
    return Signal.of(name, ("wx", "wy", "wz", "vx", "vy", "vz"), units, values, True)
