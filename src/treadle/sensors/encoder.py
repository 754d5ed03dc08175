"""Encoder: positions of a joint, in counts of a grating if it has one, through a gear with backlash."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Channel, Instant, Option, SensorKind

__all__ = ["Encoder"]


class Encoder(SensorKind):
    """Position of every coordinate of a joint (rad or m), rounded to the width of a count."""

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "position of a joint"
    options: ClassVar = {
        "counts": Option(
            None, "positive", "counts per turn, or per metre where the joint slides; exact if absent"
        ),
        "backlash": Option(0.0, "magnitude", "play between joint and encoder (rad or m)"),
        "gear": Option(1.0, "number", "turns of the encoder per turn of the joint"),
        "offset": Option(0.0, "number", "position at which it shows zero (rad or m)"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        if self.joint.type.nq != self.joint.type.nv:
            raise ValueError(
                f"joint {sensor.on!r} turns in space; an encoder reads joints that turn or slide along axes"
            )

    def channels(self) -> Sequence[Channel]:
        kind = self.joint.type
        return [Channel(name, unit) for name, unit in zip(kind.positions, kind.position_units, strict=True)]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [(x - self.parameters["offset"]) * self.parameters["gear"] for x in at.q[self.joint.q]]

    def effects(self) -> dict[str, Any]:
        found: dict[str, Any] = {"backlash": self.parameters["backlash"]}
        if self.parameters["counts"] is not None:
            turns = [1.0 if unit == "m" else 2.0 * math.pi for unit in self.joint.type.position_units]
            found["quantization"] = tuple(turn / self.parameters["counts"] for turn in turns)
        return found
