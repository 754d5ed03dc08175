"""Sensors of a machine as data: what each is, where it sits, how often it samples and how well.

What a type measures is in `treadle.sensors`, one file each; the fields that all types share are here, so that
descriptions can be edited, read and written without any dynamics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from treadle.model.parts import IDENTITY, Item, Rotation
from treadle.spatial import Transform

__all__ = ["CUTS", "Sensor", "SensorSpec", "seed_of"]

#: Types that measure what goes through a cut, for which it matters which links hang on which.
CUTS = ("force", "force_torque", "load_cell", "torque")


@dataclass
class SensorSpec(Item):
    """A sensor of a type of `treadle.sensors.SENSOR_TYPES`, on a part of the machine.

    `on` names the link or frame that it is fixed to, the joint, the actuator, or the link or shape that it
    feels contact of, as its type asks for; None stands for the world. `position` (m) and `rotation` place it
    in that link or frame. It samples `rate` times per second, the first time at the start of the run (without
    a rate: at every step), and shows a sample `delay` seconds after it was taken. `noise` are imperfections
    by name (see `treadle.sensors.noise`), `seed` is the number that its random numbers come from (after its
    name if absent), and `parameters` are those of its type.
    """

    name: str
    type: str
    on: str | None
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Rotation = IDENTITY
    rate: float | None = None
    delay: float = 0.0
    noise: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Sensor:
    """A sensor of a model: `body` (-1: the world) and `placement` there, where `on` is a link or frame."""

    name: str
    type: str
    on: str | None
    #: its pose in the link or frame, as described
    position: tuple[float, ...]
    rotation: tuple[tuple[float, ...], ...]
    body: int
    placement: Transform
    rate: float | None
    delay: float
    noise: Mapping[str, Any]
    seed: int
    parameters: Mapping[str, Any]
    #: what its description names: a fixed joint stands for the link that it holds
    stated: str | None = None
    #: the link that it is on and those that hang on it by fixed joints, all of one body
    beyond: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)


def seed_of(name: str) -> int:
    """The seed of a sensor that states none."""
    return crc32(name.encode())
