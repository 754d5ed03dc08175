"""Inclinometer: roll and pitch by the direction of the proper acceleration, or of gravity alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar, atan2, sqrt
from treadle.sensors.kind import Channel, Instant, Option, SensorKind
from treadle.spatial import Vec3

__all__ = ["Inclinometer"]


class Inclinometer(SensorKind):
    """Roll and pitch (rad); a real one takes an acceleration for an inclination, and so does this."""

    meaning: ClassVar[str] = "roll and pitch against the vertical"
    options: ClassVar = {
        "vertical": Option(
            "acceleration", "choice", "what it takes for vertical", ("acceleration", "gravity")
        )
    }

    def channels(self) -> Sequence[Channel]:
        return [Channel("roll", "rad"), Channel("pitch", "rad")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        if self.parameters["vertical"] == "gravity":
            up = self.pose(at).rotation.apply_transposed(-Vec3(*self.model.gravity))
        else:
            up = self.proper_acceleration(at).linear
        x, y, z = up
        return [atan2(y, z), atan2(-x, sqrt(y * y + z * z))]
