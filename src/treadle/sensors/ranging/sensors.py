"""Range sensors of a machine, looking along x: range finder, ultrasonic cone and lidar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Capture, Channel, Option, pair
from treadle.sensors.ranging.beams import cone
from treadle.sensors.ranging.lidar import Lidar
from treadle.sensors.ranging.ultrasonic import Ultrasonic
from treadle.sensors.rays.motion import poses_between
from treadle.sensors.rays.sensor import SEEN, RaySensor

__all__ = ["LidarSensor", "RangeFinder", "UltrasonicSensor"]


class UltrasonicSensor(RaySensor):
    """Distance of the nearest echo within a cone about its x axis; infinite without one."""

    meaning: ClassVar[str] = "distance of the nearest echo in a cone about its x axis"
    options: ClassVar = {
        "half_angle": Option(np.radians(15.0), "magnitude", "of the cone (rad)"),
        "rays": Option(64, "whole", "rays that stand for the cone"),
        "incidence": Option(
            np.radians(35.0), "magnitude", "angle to a surface up to which it sends an echo back (rad)"
        ),
        "least": Option(0.02, "magnitude", "least distance (m)"),
        "most": Option(4.0, "positive", "most distance (m)"),
        **SEEN,
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        p = self.parameters
        self._device = Ultrasonic(p["half_angle"], p["rays"], (p["least"], p["most"]), p["incidence"])

    def channels(self) -> Sequence[Channel]:
        return [Channel("distance", "m")]

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        view, device = self.views(numbers), self._device
        pattern = cone(device.half_angle, device.rays)
        ways = pattern @ np.swapaxes(view.sensor[:, :3, :3], 1, 2)
        origins = np.repeat(view.sensor[:, :3, 3], len(pattern), axis=0)
        hits = self.scene.cast(origins, ways.reshape(-1, 3), device.range[1], self.ignore, view.bodies)
        cosine = -(hits.normal * hits.directions).sum(axis=1)
        shape = ways.shape[:2]
        return device.echo(hits.distance.reshape(shape), cosine.reshape(shape))[None]


class RangeFinder(UltrasonicSensor):
    """Distance along its x axis; infinite, or the number `no_echo`, beyond its range."""

    meaning: ClassVar[str] = "distance along its x axis"
    options: ClassVar = {
        "least": Option(0.0, "magnitude", "least distance (m)"),
        "most": Option(100.0, "positive", "most distance (m)"),
        "no_echo": Option(None, "number", "what it shows without an echo; infinity if absent"),
        **SEEN,
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        RaySensor.__init__(self, model, sensor)
        self._device = Ultrasonic(0.0, 1, (self.parameters["least"], self.parameters["most"]))

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        distance, shown = super().process(numbers, capture), self.parameters["no_echo"]
        return distance if shown is None else np.where(np.isfinite(distance), distance, shown)


class LidarSensor(RaySensor):
    """Distances of a sweep that ends at the sample, column by column; infinite where nothing comes back."""

    meaning: ClassVar[str] = "distances (and intensities) over columns of azimuth and rows of elevation"
    options: ClassVar = {
        "columns": Option(360, "whole", "azimuths"),
        "rows": Option(1, "whole", "elevations"),
        "azimuth": Option((-np.pi, np.pi), "values", "first and last azimuth (rad)"),
        "elevation": Option((0.0, 0.0), "values", "first and last elevation (rad)"),
        "least": Option(0.1, "magnitude", "least distance (m)"),
        "most": Option(100.0, "positive", "most distance (m)"),
        "sweep": Option(0.0, "magnitude", "time that a sweep takes (s); 0: all beams at once"),
        "divergence": Option(0.0, "magnitude", "half angle of a beam (rad)"),
        "dropout": Option(0.0, "magnitude", "probability that a beam is lost"),
        "threshold": Option(0.0, "magnitude", "intensity below which a beam is lost"),
        "gives": Option("distance", "choice", "what it gives", ("distance", "intensity", "both")),
        **SEEN,
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        p = self.parameters
        self.device = Lidar(
            columns=p["columns"],
            rows=p["rows"],
            azimuth=pair(p["azimuth"], "azimuth"),
            elevation=pair(p["elevation"], "elevation"),
            range=(p["least"], p["most"]),
            sweep=p["sweep"],
            divergence=p["divergence"],
            dropout=p["dropout"],
            threshold=p["threshold"],
        )

    def channels(self) -> Sequence[Channel]:
        beams = [f"{c}_{r}" for c in range(self.device.columns) for r in range(self.device.rows)]
        gives = self.parameters["gives"]
        found = (
            [] if gives == "intensity" else [Channel(f"distance_{beam}", "m", "distance") for beam in beams]
        )
        if gives != "distance":
            found += [Channel(f"intensity_{beam}", "", "intensity") for beam in beams]
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        beams = self.device.columns, self.device.rows
        return (2, *beams) if self.parameters["gives"] == "both" else beams

    @property
    def span(self) -> float:
        return self.device.sweep

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        times = capture.path
        if times is None:
            times, numbers = capture.time[None], numbers[None]
        values = np.zeros((len(self.channels()), numbers.shape[-1]))
        for w in np.flatnonzero(capture.taken).tolist():
            poses, bodies = self._sweep(numbers[..., w], times[:, w], capture.time[w])
            scan = self.device.scan(self.scene, poses, self.ignore, bodies, self.generator(capture, w))
            gives = {"distance": [scan.distance], "intensity": [scan.intensity]}
            parts = gives.get(self.parameters["gives"], [scan.distance, scan.intensity])
            values[:, w] = np.concatenate([part.ravel() for part in parts])
        return values

    def _sweep(self, numbers: np.ndarray, times: np.ndarray, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Poses of the sensor (columns, 4, 4) and of the bodies (columns, bodies, 12) during a sweep."""
        known = np.isfinite(times)
        view = self.views(numbers[known].T)
        when = end + self.device.times - self.device.sweep
        R = np.concatenate(
            [view.sensor[:, None, :3, :3], view.bodies[:, 1:, :9].reshape(known.sum(), -1, 3, 3)], 1
        )
        p = np.concatenate([view.sensor[:, None, :3, 3], view.bodies[:, 1:, 9:]], axis=1)
        R, p = poses_between(times[known], R, p, view.velocity, when)
        poses = np.tile(np.eye(4), (len(when), 1, 1))
        poses[:, :3, :3], poses[:, :3, 3] = R[:, 0], p[:, 0]
        bodies = np.tile(view.bodies[0], (len(when), 1, 1))
        bodies[:, 1:, :9], bodies[:, 1:, 9:] = R[:, 1:].reshape(len(when), -1, 9), p[:, 1:]
        return poses, bodies
