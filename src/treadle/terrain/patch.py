"""A bounded plane on other ground: a platform, a trench, a sheet of ice."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from treadle.errors import InputError
from treadle.graph import where
from treadle.terrain.plane import Plane
from treadle.terrain.terrain import Soil, Terrain

__all__ = ["Patch"]


@dataclass(frozen=True)
class Patch(Terrain):
    """A rectangle of a size (m) along and across, centred at (x, y) at a `level` (m) and turned by `yaw`.

    It rises by `rise` metres per metre along itself. Around it lies the `ground`, with its own friction.
    """

    size: tuple[float, float]
    level: float = 0.0
    rise: float = 0.0
    center: tuple[float, float] = (0.0, 0.0)
    yaw: float = 0.0
    ground: Terrain = field(default_factory=Plane)
    friction: float = 0.8
    soil: Soil = field(default_factory=Soil)

    def __post_init__(self) -> None:
        if len(self.size) != 2 or not min(self.size) > 0.0:
            raise InputError(f"the size of a patch is two positive lengths in metres, not {self.size!r}")

    def height(self, x: Any, y: Any) -> Any:
        along, inside = self._local(x, y)
        return where(inside, self.level + self.rise * along, self.ground.height(x, y))

    def slope(self, x: Any, y: Any) -> tuple[Any, Any]:
        _, inside = self._local(x, y)
        by_x, by_y = self.ground.slope(x, y)
        rises = self.rise * math.cos(self.yaw), self.rise * math.sin(self.yaw)
        return where(inside, rises[0], by_x), where(inside, rises[1], by_y)

    def friction_at(self, x: Any, y: Any) -> Any:
        _, inside = self._local(x, y)
        return where(inside, self.friction, self.ground.friction_at(x, y))

    def _local(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The coordinate along the patch, from its centre, and whether the point is on it."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = x - self.center[0], y - self.center[1]
        along, across = dx * c + dy * s, dy * c - dx * s
        return along, (abs(along) < 0.5 * self.size[0]) & (abs(across) < 0.5 * self.size[1])
