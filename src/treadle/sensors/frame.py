"""Ground truth: pose, velocity and acceleration of a frame, in axes of the world, its own or another's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import Motion, Quaternion, Transform, Vec3

__all__ = [
    "Acceleration", "AngularAcceleration", "AngularVelocity", "Axis", "LinearAcceleration", "LinearVelocity",
    "Orientation", "Pose", "Position", "Velocity",
]  # fmt: skip

_REFERENCE = Option(
    None, "text", "link or frame that it is measured in, at the same instant; the world if absent"
)
_AXES = Option("world", "choice", "axes of the vectors", ("world", "own"))


class _Placed(SensorKind):
    """A frame, seen from another one."""

    options: ClassVar = {"reference": _REFERENCE}

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        name = self.parameters["reference"]
        self._reference = None if name is None else model.frame(name)

    def relative(self, at: Instant) -> Transform:
        """X_RS."""
        return self.pose(at) if self._reference is None else self._base(at).inverse() @ self.pose(at)

    def _base(self, at: Instant) -> Transform:
        """X_WR."""
        frame = self._reference
        assert frame is not None
        return frame.placement if frame.body == WORLD else at.bodies[frame.body] @ frame.placement

    def _base_velocity(self, at: Instant) -> Motion:
        """Of the reference, in its own axes."""
        frame = self._reference
        if frame is None or frame.body == WORLD:
            return Motion.zero()
        return frame.placement.motion_to_child(at.velocities[frame.body])


class Pose(_Placed):
    """Position, then the rotation as a unit quaternion (w, x, y, z)."""

    meaning: ClassVar[str] = "position and rotation (quaternion) of a frame"

    def channels(self) -> Sequence[Channel]:
        return [*channels("x y z", "m", "position"), *channels("qw qx qy qz", "1", "rotation")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        X = self.relative(at)
        return [*X.translation, *Quaternion.of_matrix(X.rotation)]


class Position(_Placed):
    """Of the frame's origin."""

    meaning: ClassVar[str] = "position of a frame"

    def channels(self) -> Sequence[Channel]:
        return channels("x y z", "m")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.relative(at).translation)


class Orientation(_Placed):
    """Rotation as a unit quaternion."""

    meaning: ClassVar[str] = "rotation of a frame (quaternion)"

    def channels(self) -> Sequence[Channel]:
        return channels("qw qx qy qz", "1")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(Quaternion.of_matrix(self.relative(at).rotation))


class Axis(_Placed):
    """Direction of a line that is fixed in the frame."""

    meaning: ClassVar[str] = "direction of an axis of a frame"
    options: ClassVar = {
        "reference": _REFERENCE,
        "axis": Option((1.0, 0.0, 0.0), "vector", "the axis in the frame"),
    }

    def channels(self) -> Sequence[Channel]:
        return channels("x y z", "1")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.relative(at).rotation.apply(Vec3(*self.parameters["axis"])))


class _Moving(_Placed):
    """A frame that moves, seen from the world or from another frame that moves as well."""

    options: ClassVar = {"reference": _REFERENCE, "axes": _AXES}

    def motion(self, at: Instant) -> Motion:
        """Angular velocity and velocity of the origin in the axes asked for (those of the reference)."""
        own = self.velocity(at)
        if self._reference is not None:
            X_RS = self.relative(at)
            base = self._base_velocity(at)
            # the points of the reference under the sensor move along with it
            carried = Motion(base.angular, base.linear + base.angular.cross(X_RS.translation))
            R = X_RS.rotation
            seen = Motion(R.apply(own.angular) - carried.angular, R.apply(own.linear) - carried.linear)
            return seen if self.parameters["axes"] == "world" else _turned_back(R, seen)
        return own if self.parameters["axes"] == "own" else _turned(self.pose(at).rotation, own)


class Velocity(_Moving):
    """Angular velocity, and velocity of the origin."""

    meaning: ClassVar[str] = "angular and linear velocity of a frame"

    def channels(self) -> Sequence[Channel]:
        return [*channels("wx wy wz", "rad/s", "angular"), *channels("vx vy vz", "m/s", "linear")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.motion(at))


class LinearVelocity(_Moving):
    """Velocity of the origin."""

    meaning: ClassVar[str] = "velocity of a frame's origin"

    def channels(self) -> Sequence[Channel]:
        return channels("vx vy vz", "m/s")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.motion(at).linear)


class AngularVelocity(_Moving):
    """Angular velocity."""

    meaning: ClassVar[str] = "angular velocity of a frame"

    def channels(self) -> Sequence[Channel]:
        return channels("wx wy wz", "rad/s")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.motion(at).angular)


class _Accelerating(SensorKind):
    """A frame that accelerates; `gravity` counts as an acceleration upward where that is wanted."""

    options: ClassVar = {
        "axes": _AXES,
        "proper": Option(0, "whole", "1: less gravity, as accelerometers show it"),
    }

    def motion(self, at: Instant) -> Motion:
        """Angular acceleration and acceleration of the origin in the axes asked for."""
        proper, R = self.proper_acceleration(at), self.pose(at).rotation
        if self.parameters["axes"] == "world":
            proper = _turned(R, proper)
        if self.parameters["proper"]:
            return proper
        gravity = Vec3(*self.model.gravity)
        own = gravity if self.parameters["axes"] == "world" else R.apply_transposed(gravity)
        return Motion(proper.angular, proper.linear + own)


class Acceleration(_Accelerating):
    """Angular acceleration, and acceleration of the origin."""

    meaning: ClassVar[str] = "angular and linear acceleration of a frame"

    def channels(self) -> Sequence[Channel]:
        return [*channels("bx by bz", "rad/s^2", "angular"), *channels("ax ay az", "m/s^2", "linear")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.motion(at))


class LinearAcceleration(_Accelerating):
    """Acceleration of the origin."""

    meaning: ClassVar[str] = "acceleration of a frame's origin"

    def channels(self) -> Sequence[Channel]:
        return channels("ax ay az", "m/s^2")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.motion(at).linear)


class AngularAcceleration(_Accelerating):
    """Angular acceleration."""

    meaning: ClassVar[str] = "angular acceleration of a frame"

    def channels(self) -> Sequence[Channel]:
        return channels("bx by bz", "rad/s^2")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.motion(at).angular)


def _turned(R, motion: Motion) -> Motion:
    return Motion(R.apply(motion.angular), R.apply(motion.linear))


def _turned_back(R, motion: Motion) -> Motion:
    return Motion(R.apply_transposed(motion.angular), R.apply_transposed(motion.linear))
