"""A plane, level or inclined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treadle.errors import InputError
from treadle.terrain.terrain import Soil, Terrain

__all__ = ["Plane"]


@dataclass(frozen=True)
class Plane(Terrain):
    """The plane through (0, 0, level) that rises by `rise` metres per metre along x and along y."""

    level: float = 0.0
    rise: tuple[float, float] = (0.0, 0.0)
    friction: float = 0.8
    soil: Soil = field(default_factory=Soil)

    def __post_init__(self) -> None:
        if len(self.rise) != 2:
            raise InputError(f"the rise of a plane has two numbers, along x and along y, not {self.rise!r}")

    def height(self, x: Any, y: Any) -> Any:
        along, across = self.rise
        return x * along + y * across + self.level

    def slope(self, x: Any, y: Any) -> tuple[Any, Any]:
        return self.rise[0], self.rise[1]
