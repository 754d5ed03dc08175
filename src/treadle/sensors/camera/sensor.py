"""A camera of a machine, on a link or frame, looking along x: its picture as channels, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, overload

import numpy as np

from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.sensors.camera.camera import Camera
from treadle.sensors.camera.intrinsics import Intrinsics
from treadle.sensors.kind import Capture, Channel, Option, numbers, pair
from treadle.sensors.rays.sensor import SEEN, RaySensor

__all__ = ["CameraSensor"]


class _Pixels(Sequence[Channel]):
    """The channels of a picture, made one by one: there may be millions."""

    def __init__(self, width: int, height: int, gives: str) -> None:
        self._width, self.group = width, gives
        self._parts = ("r", "g", "b") if gives == "rgb" else (gives,)
        self._count = width * height * len(self._parts)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, key: int) -> Channel: ...

    @overload
    def __getitem__(self, key: slice) -> list[Channel]: ...

    def __getitem__(self, key: int | slice) -> Channel | list[Channel]:
        if isinstance(key, slice):
            return [self[k] for k in range(*key.indices(self._count))]
        if not -self._count <= key < self._count:
            raise IndexError(key)
        pixel, part = divmod(key % self._count, len(self._parts))
        row, column = divmod(pixel, self._width)
        return Channel(
            f"{self._parts[part]}_{row}_{column}", "m" if self.group == "depth" else "", self.group
        )


class CameraSensor(RaySensor):
    """Depths, colours or surfaces of all pixels, row by row from the upper left.

    Reshape the values to (height, width), colours to (height, width, 3).
    """

    meaning: ClassVar[str] = "picture along its x axis, row by row: depth, colour or surfaces"
    options: ClassVar = {
        "width": Option(64, "whole", "pixels"),
        "height": Option(48, "whole", "pixels"),
        "angle": Option(np.radians(60.0), "positive", "horizontal angle of view (rad)"),
        "focal": Option(None, "values", "focal lengths fx, fy (pixels), instead of the angle"),
        "center": Option(None, "values", "principal point cx, cy (pixels); the middle if absent"),
        "distortion": Option((0.0,) * 5, "values", "k1, k2, p1, p2, k3 of the lens"),
        "gives": Option("depth", "choice", "what it gives", ("depth", "rgb", "segmentation")),
        "least": Option(0.0, "magnitude", "least depth (m)"),
        "most": Option(1000.0, "positive", "most depth (m); infinite beyond"),
        **SEEN,
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        p = self.parameters
        lens = Intrinsics.from_angle(
            p["width"], p["height"], p["angle"], numbers(p["distortion"], "distortion")
        )
        if p["focal"] is not None:
            fx, fy = pair(p["focal"], "focal")
            lens = replace(lens, fx=fx, fy=fy)
        if p["center"] is not None:
            cx, cy = pair(p["center"], "center")
            lens = replace(lens, cx=cx, cy=cy)
        self.device = Camera(lens, range=(p["least"], p["most"]))

    def channels(self) -> Sequence[Channel]:
        lens, gives = self.device.intrinsics, self.parameters["gives"]
        return _Pixels(lens.width, lens.height, gives)

    @property
    def shape(self) -> tuple[int, ...]:
        lens = self.device.intrinsics
        return (
            (lens.height, lens.width, 3) if self.parameters["gives"] == "rgb" else (lens.height, lens.width)
        )

    def effects(self) -> dict[str, Any]:
        if self.parameters["gives"] == "rgb" and self.sensor.noise:
            return {"lower": 0.0, "upper": 255.0, "quantization": 1.0}
        return {}

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        view = self.views(numbers)
        values = np.zeros((len(self.channels()), numbers.shape[1]))
        for w in np.flatnonzero(capture.taken):
            self.scene.poses = view.bodies[w : w + 1]
            values[:, w] = self._picture(view.sensor[w]).ravel()
        return values

    def _picture(self, pose: np.ndarray) -> np.ndarray:
        if self.parameters["gives"] == "rgb":
            return self.device.picture(self.scene, pose, self.ignore).rgb
        depth, surfaces = self.device.depth(self.scene, pose, self.ignore)
        return depth if self.parameters["gives"] == "depth" else surfaces
