"""Range sensors of a machine, looking along x: range finder, ultrasonic cone and lidar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.numerics.rotations import rotation_matrices
from treadle.sensors.kind import Capture, Channel, Option
from treadle.sensors.ranging.beams import cone
from treadle.sensors.ranging.lidar import Lidar
from treadle.sensors.ranging.ultrasonic import Ultrasonic
from treadle.sensors.rays.sensor import SEEN, RaySensor, Views

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
            azimuth=_two(p["azimuth"], "azimuth"),
            elevation=_two(p["elevation"], "elevation"),
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

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        view = self.views(numbers)
        values = np.zeros((len(self.channels()), numbers.shape[1]))
        for w in np.flatnonzero(capture.taken).tolist():
            poses, bodies = self._sweep(view, w)
            scan = self.device.scan(self.scene, poses, self.ignore, bodies, self.generator(capture, w))
            gives = {"distance": [scan.distance], "intensity": [scan.intensity]}
            parts = gives.get(self.parameters["gives"], [scan.distance, scan.intensity])
            values[:, w] = np.concatenate([part.ravel() for part in parts])
        return values

    def _sweep(self, view: Views, w: int) -> tuple[np.ndarray, np.ndarray]:
        """Poses of the sensor (columns, 4, 4) and of the bodies during a sweep, all at constant velocity."""
        back = self.device.times - self.device.sweep
        poses = np.tile(view.sensor[w], (len(back), 1, 1))
        bodies = np.tile(view.bodies[w], (len(back), 1, 1))
        if self.device.sweep > 0.0:
            poses[:, :3, :3], poses[:, :3, 3] = _carried(
                poses[:, :3, :3], poses[:, :3, 3], view.velocity[w, 0], back
            )
            for b in range(1, bodies.shape[1]):
                R, p = bodies[:, b, :9].reshape(-1, 3, 3), bodies[:, b, 9:]
                R, p = _carried(R, p, view.velocity[w, b], back)
                bodies[:, b, :9], bodies[:, b, 9:] = R.reshape(-1, 9), p
        return poses, bodies


def _carried(
    R: np.ndarray, p: np.ndarray, velocity: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rotations and positions some times (k,) later, at constant angular and linear velocity."""
    turns = rotation_matrices(times[:, None] * velocity[:3])
    return turns @ R, p + times[:, None] * velocity[3:]


def _two(value: Sequence[float], name: str) -> tuple[float, float]:
    try:
        first, last = (float(x) for x in value)
    except (TypeError, ValueError):
        raise ValueError(f"its {name} needs two angles, not {value!r}") from None
    return first, last
