"""The GPS receiver of a machine: its antenna is the origin of the frame that it is placed on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import ClassVar

import numpy as np

from treadle.geometry.files import file_inside
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.sensors.gps.constellation import Constellation, nominal_constellation, read_yuma
from treadle.sensors.gps.error_budget import ErrorBudget
from treadle.sensors.gps.receiver import GpsFix, GpsReceiver, GpsSettings, Sky
from treadle.sensors.gps.site import Site
from treadle.sensors.kind import Capture, Channel, Instant, Option, SensorKind, channels
from treadle.sensors.rays.scene import RayScene

__all__ = ["GpsSensor"]


class GpsSensor(SensorKind):
    """Fix of a GPS receiver: whether there is one, satellites, place on the Earth and in the world."""

    processed: ClassVar[bool] = True
    deferred: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "fix of a GPS receiver, from satellites, the atmosphere and the scene's buildings"
    )
    options: ClassVar = {
        "latitude": Option(0.0, "number", "of the world's origin (deg)"),
        "longitude": Option(0.0, "number", "of the world's origin (deg)"),
        "height": Option(0.0, "number", "of the world's origin over the ellipsoid (m)"),
        "heading": Option(0.0, "number", "angle from east to the world's x axis (rad)"),
        "start": Option("2008-07-01T05:40:00", "text", "moment (UTC) of the time 0"),
        "almanac": Option(
            None, "text", "YUMA file in the description's folder; the nominal 24 slots if absent"
        ),
        "mask": Option(np.radians(5.0), "magnitude", "least elevation of satellites (rad)"),
        "buildings": Option("block", "choice", "what fixed shapes do to signals", ("block", "nothing")),
        "reflection": Option(0.4, "magnitude", "amplitude of a reflection; 0: no multipath"),
        "budget": Option(1.0, "magnitude", "factor on the error budget of 5.17 m"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        p = self.parameters
        self._site = Site(p["latitude"], p["longitude"], p["height"], p["heading"])
        try:
            self._start = datetime.fromisoformat(p["start"])
        except ValueError:
            raise ValueError(
                f"its start is a moment such as 2008-07-01T05:40:00, not {p['start']!r}"
            ) from None
        self._settings = GpsSettings(
            mask=p["mask"], reflection=p["reflection"], budget=ErrorBudget().scaled(p["budget"])
        )
        self._receivers: dict[tuple[int, int], GpsReceiver] = {}
        self._watcher: GpsReceiver | None = None

    def channels(self) -> Sequence[Channel]:
        return [
            *channels("fix satellites", "", "status"),
            *channels("latitude longitude", "deg", "geodetic"),
            *channels("height x y z", "m", "position"),
            *channels("vx vy vz", "m/s", "velocity"),
            *channels("pdop hdop vdop", "", "dop"),
        ]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        pose = self.pose(at)
        return [*pose.translation, *pose.rotation.apply(self.velocity(at).linear)]

    @property
    def measured(self) -> int:
        return 6

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        values = np.zeros((len(self.channels()), numbers.shape[1]))
        for w in np.flatnonzero(capture.taken):
            values[:, w] = _numbers(
                self.fix(numbers[:, w], float(capture.time[w]), capture.key, int(capture.worlds[w]))
            )
        return values

    def fix(self, numbers: np.ndarray, time: float, key: int, world: int) -> GpsFix:
        """The whole fix of a world."""
        if (key, world) not in self._receivers:
            self._receivers[key, world] = GpsReceiver(
                self._site, self._start, self._constellation, self._settings, self._obstacles, (key, world)
            )
        return self._receivers[key, world].measure(time, numbers[:3], numbers[3:])

    def sky(self, time: float, position: np.ndarray) -> Sky:
        """The satellites as seen from a position (m) of the world at a time (s)."""
        if self._watcher is None:
            self._watcher = GpsReceiver(
                self._site, self._start, self._constellation, self._settings, self._obstacles
            )
        return self._watcher.sky(time, position)

    @cached_property
    def _constellation(self) -> Constellation:
        almanac = self.parameters["almanac"]
        if almanac is None:
            return nominal_constellation()
        return read_yuma(file_inside(self.model.file, almanac, "almanac"), self._start)

    @cached_property
    def _obstacles(self) -> RayScene | None:
        return RayScene(self.model, links=("world",)) if self.parameters["buildings"] == "block" else None


def _numbers(fix: GpsFix) -> list[float]:
    place = [fix.latitude, fix.longitude, fix.height, *fix.position, *fix.velocity]
    return [float(fix.valid), float(fix.satellites), *place, fix.dop.pdop, fix.dop.hdop, fix.dop.vdop]
