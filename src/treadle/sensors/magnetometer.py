"""Magnetometer: the field of the Earth (a dipole, or a given one) in the sensor's axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import Vec3

__all__ = ["Magnetometer", "dipole_field"]

#: Mean field of the Earth's dipole at its equator (T).
EQUATOR = 3.12e-5


class Magnetometer(SensorKind):
    """Field (T) in its axes. World axes are east, north, up unless `north` says where north is."""

    meaning: ClassVar[str] = "magnetic field in its own axes"
    options: ClassVar = {
        "field": Option(None, "vector", "field in the world (T); that of a dipole at the latitude if absent"),
        "latitude": Option(math.pi / 4.0, "number", "magnetic latitude (rad)"),
        "north": Option((0.0, 1.0, 0.0), "vector", "direction of magnetic north in the world"),
        "hard_iron": Option(
            (0.0, 0.0, 0.0), "vector", "field of what moves along with the sensor, in its axes (T)"
        ),
    }

    def channels(self) -> Sequence[Channel]:
        return channels("bx by bz", "T")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        field = self.parameters["field"]
        if field is None:
            field = dipole_field(self.parameters["latitude"], self.parameters["north"])
        own = self.pose(at).rotation.apply_transposed(Vec3(*field))
        return list(own + Vec3(*self.parameters["hard_iron"]))


def dipole_field(latitude: float, north: Sequence[float] = (0.0, 1.0, 0.0)) -> tuple[float, float, float]:
    """Field (T) of the Earth's dipole at a magnetic latitude (rad): B cos(l) north, 2 B sin(l) down."""
    x, y, _ = north
    level = EQUATOR * math.cos(latitude) / math.hypot(x, y)
    return level * x, level * y, -2.0 * EQUATOR * math.sin(latitude)
