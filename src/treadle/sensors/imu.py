"""Inertial measurement unit: angular velocity, and the proper acceleration of its own point, in its axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar
from treadle.sensors.kind import Channel, Instant, SensorKind, channels

__all__ = ["Accelerometer", "Gyroscope", "Imu"]


class Gyroscope(SensorKind):
    """omega of the sensor's frame, in its axes (rad/s)."""

    meaning: ClassVar[str] = "angular velocity in its own axes"

    def channels(self) -> Sequence[Channel]:
        return channels("wx wy wz", "rad/s", "gyroscope")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.velocity(at).angular)


class Accelerometer(SensorKind):
    """Acceleration of the sensor's point less gravity, in its axes (m/s2): at rest it shows +g upward."""

    meaning: ClassVar[str] = "proper acceleration of its point in its own axes"

    def channels(self) -> Sequence[Channel]:
        return channels("ax ay az", "m/s^2", "accelerometer")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.proper_acceleration(at).linear)


class Imu(SensorKind):
    """Gyroscope and accelerometer in one housing."""

    meaning: ClassVar[str] = "angular velocity and proper acceleration of its point in its own axes"

    def channels(self) -> Sequence[Channel]:
        return [*channels("wx wy wz", "rad/s", "gyroscope"), *channels("ax ay az", "m/s^2", "accelerometer")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [*self.velocity(at).angular, *self.proper_acceleration(at).linear]
