"""Magnetometer: the field of the Earth (a dipole, the World Magnetic Model, or a given one) in its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import ClassVar

from treadle.extras import require
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import Vec3

__all__ = ["Magnetometer", "dipole_field", "wmm_field"]

#: Mean field of the Earth's dipole at its equator (T).
EQUATOR = 3.12e-5

#: First years of the models; each is valid for five years.
_EPOCHS = (2010, 2015, 2020, 2025)


class Magnetometer(SensorKind):
    """Field (T) in its axes. World axes are east, north, up unless `north` says where north is.

    The field is that of the world's origin: over the way of a machine it hardly changes.
    """

    meaning: ClassVar[str] = "magnetic field in its own axes"
    options: ClassVar = {
        "field": Option(None, "vector", "field in the world (T); that of the model if absent"),
        "model": Option("dipole", "choice", "model of the Earth's field", ("dipole", "wmm")),
        "latitude": Option(math.pi / 4.0, "number", "magnetic (dipole) or geodetic latitude (rad)"),
        "longitude": Option(0.0, "number", "of the world's origin (rad), for wmm"),
        "height": Option(0.0, "number", "of the world's origin over the ellipsoid (m), for wmm"),
        "date": Option("2026-01-01", "text", "day of the measurement, for wmm"),
        "north": Option((0.0, 1.0, 0.0), "vector", "direction of magnetic (wmm: true) north in the world"),
        "hard_iron": Option(
            (0.0, 0.0, 0.0), "vector", "field of what moves along with the sensor, in its axes (T)"
        ),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        p = self.parameters
        if math.hypot(*p["north"][:2]) == 0.0:
            raise ValueError("its north has no level part: give a direction such as (0, 1, 0)")
        if p["field"] is not None:
            self._field = p["field"]
        elif p["model"] == "dipole":
            self._field = dipole_field(p["latitude"], p["north"])
        else:
            place = math.degrees(p["latitude"]), math.degrees(p["longitude"]), p["height"]
            self._field = wmm_field(*place, _decimal_year(p["date"]), p["north"])

    def channels(self) -> Sequence[Channel]:
        return channels("bx by bz", "T")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        own = self.pose(at).rotation.apply_transposed(Vec3(*self._field))
        return list(own + Vec3(*self.parameters["hard_iron"]))


def dipole_field(latitude: float, north: Sequence[float] = (0.0, 1.0, 0.0)) -> tuple[float, float, float]:
    """Field (T) of the Earth's dipole at a magnetic latitude (rad): B cos(l) north, 2 B sin(l) down."""
    x, y, _ = north
    level = EQUATOR * math.cos(latitude) / math.hypot(x, y)
    return level * x, level * y, -2.0 * EQUATOR * math.sin(latitude)


def wmm_field(
    latitude: float,
    longitude: float,
    height: float,
    year: float,
    north: Sequence[float] = (0.0, 1.0, 0.0),
) -> tuple[float, float, float]:
    """Field (T) of the World Magnetic Model at a geodetic place (deg, deg, m) and a decimal year."""
    GeoMag = require("pygeomag", "the World Magnetic Model").GeoMag
    epoch = max((first for first in _EPOCHS if first <= year), default=0)
    if not epoch or year > epoch + 5.0:
        raise ValueError(f"the World Magnetic Model covers {_EPOCHS[0]} to {_EPOCHS[-1] + 5}, not {year:g}")
    model = GeoMag(coefficients_file=f"wmm/WMM_{epoch}.COF")
    found = model.calculate(glat=latitude, glon=longitude, alt=1e-3 * height, time=year)
    size = math.hypot(*north[:2])
    n, e = (north[0] / size, north[1] / size), (north[1] / size, -north[0] / size)
    # north, east, down in nT
    level = [1e-9 * (found.x * n[k] + found.y * e[k]) for k in range(2)]
    return level[0], level[1], -1e-9 * found.z


def _decimal_year(text: str) -> float:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"its date is a day such as 2026-01-01, not {text!r}") from None
    start, end = date(day.year, 1, 1), date(day.year + 1, 1, 1)
    return day.year + (day - start).days / (end - start).days
