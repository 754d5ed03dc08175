"""A ramp on other ground: up, level on top, and down again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from treadle.errors import InputError
from treadle.graph import Scalar, clip, maximum, where
from treadle.terrain.plane import Plane
from treadle.terrain.terrain import Soil, Terrain

__all__ = ["Ramp"]


@dataclass(frozen=True)
class Ramp(Terrain):
    """A ramp of a height and an angle, `flat` metres long on top, centred at (x, y) and turned by `yaw`.

    Beside it, past half its width, lies the `ground` with its own friction. Several ramps stand on each
    other's ground.
    """

    height_on_top: float
    angle: float
    width: float
    flat: float = 0.0
    center: tuple[float, float] = (0.0, 0.0)
    yaw: float = 0.0
    ground: Terrain = field(default_factory=Plane)
    friction: float = 0.8
    soil: Soil = field(default_factory=Soil)

    def __post_init__(self) -> None:
        if not 0.0 < self.angle < 0.5 * math.pi:
            raise InputError(f"the angle of a ramp lies between 0 and pi/2 rad, not {self.angle}")
        if not (self.height_on_top > 0.0 and self.width > 0.0 and self.flat >= 0.0):
            raise InputError("the height and the width of a ramp are positive lengths in metres")

    def height(self, x: Any, y: Any) -> Any:
        along, across = self._local(x, y)
        below = self.ground.height(x, y)
        on_top = maximum(below, self._profile(along))
        return where(abs(across) < 0.5 * self.width, on_top, below)

    def slope(self, x: Any, y: Any) -> tuple[Any, Any]:
        along, _ = self._local(x, y)
        profile = self._profile(along)
        by_x, by_y = self.ground.slope(x, y)
        tangent = math.tan(self.angle)
        inclined = (profile > 0.0) & (profile < self.height_on_top)
        rise = where(inclined, where(along > 0.0, -tangent, tangent), 0.0)
        here = self._here(x, y)
        return (
            where(here, rise * math.cos(self.yaw), by_x),
            where(here, rise * math.sin(self.yaw), by_y),
        )

    def friction_at(self, x: Any, y: Any) -> Any:
        return where(self._here(x, y), self.friction, self.ground.friction_at(x, y))

    def _here(self, x: Any, y: Any) -> Any:
        """Whether the ramp is on top of the ground."""
        along, across = self._local(x, y)
        return (abs(across) < 0.5 * self.width) & (self._profile(along) > self.ground.height(x, y))

    def _local(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Coordinates along and across the ramp, from its centre."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = x - self.center[0], y - self.center[1]
        return dx * c + dy * s, dy * c - dx * s

    def _profile(self, along: Scalar) -> Scalar:
        fall = (abs(along) - 0.5 * self.flat) * math.tan(self.angle)
        return clip(self.height_on_top - fall, 0.0, self.height_on_top)
