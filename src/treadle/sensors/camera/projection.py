"""Where a camera sees a point: image coordinates by the pinhole, without a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar, maximum, where
from treadle.model.model import WORLD, Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels, pair

__all__ = ["Projection"]

#: Least distance before the camera (m), so that points beside it are far away instead of nowhere.
_NEAREST = 1e-15


class Projection(SensorKind):
    """Image coordinates of its origin, in pixels to the right and down.

    A point behind the camera is mirrored at the principal point, as the formula has it.
    """

    meaning: ClassVar[str] = "image coordinates of its origin in a camera"
    options: ClassVar = {
        "camera": Option(None, "text", "link or frame of the camera, which looks along x with z up"),
        "focal": Option((300.0, 300.0), "values", "focal lengths (pixels), to the right and down"),
        "center": Option((0.0, 0.0), "values", "principal point (pixels)"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        if self.parameters["camera"] is None:
            raise ValueError("it has no camera; name the link or frame that looks")
        self._camera = model.frame(self.parameters["camera"])
        self._focal, self._center = (pair(self.parameters[name], name) for name in ("focal", "center"))

    def channels(self) -> Sequence[Channel]:
        return channels("u v", "px")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        frame = self._camera
        X_WC = frame.placement if frame.body == WORLD else at.bodies[frame.body] @ frame.placement
        seen = X_WC.rotation.apply_transposed(self.pose(at).translation - X_WC.translation)
        ahead = where(seen.x < 0.0, -1.0, 1.0) * maximum(abs(seen.x), _NEAREST)
        (fx, fy), (cx, cy) = self._focal, self._center
        return [cx - fx * seen.y / ahead, cy - fy * seen.z / ahead]
