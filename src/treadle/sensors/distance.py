"""Distance between two links or shapes, by the shapes that touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from treadle.collision.queries import distance
from treadle.graph import Scalar
from treadle.model.model import Model, suggest
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Capture, Channel, Instant, Option, SensorKind

__all__ = ["DistanceSensor"]


class DistanceSensor(SensorKind):
    """Least distance (m) from its link or shape to another one, or to the world; negative in overlap."""

    mount: ClassVar[str] = "contact"
    processed: ClassVar[bool] = True
    deferred: ClassVar[bool] = True
    meaning: ClassVar[str] = "least distance from its link or shape to another one"
    options: ClassVar = {
        "to": Option(None, "text", 'the other link or shape, or "world"'),
        "most": Option(None, "magnitude", "largest distance that it shows (m); no limit if absent"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        shapes = [shape for shape in model.shapes if shape.role == "collision"]
        known = [*{shape.link or "world" for shape in shapes}, *[shape.name for shape in shapes]]
        if self.parameters["to"] not in known:
            hint = suggest(str(self.parameters["to"]), sorted(known))
            raise ValueError(
                f"its `to` names a link with collision shapes, such a shape or the world; {hint}"
            )

    def channels(self) -> Sequence[Channel]:
        return [Channel("distance", "m")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(at.q)

    @property
    def measured(self) -> int:
        return self.model.nq

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        values, most = np.zeros((1, numbers.shape[1])), self.parameters["most"]
        for w in np.flatnonzero(capture.taken):
            found = distance(self.model, numbers[:, w], str(self.sensor.on), self.parameters["to"]).distance
            values[0, w] = found if most is None else min(found, most)
        return values
