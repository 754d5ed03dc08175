"""Terrain: height, slope, friction coefficient and soil as functions of x and y.

Every terrain is written over a generic scalar: floats and numpy arrays for tools and drawing, traced scalars
inside the compiled step.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from treadle.graph import Scalar, sqrt
from treadle.spatial import Vec3

__all__ = ["Soil", "Surface", "Terrain"]


@dataclass(frozen=True)
class Soil:
    """Loose soil under a rigid wheel; the values are those of dry sand (Ishigami et al. 2007).

    Pressure p = (kc / b + kphi) z^n at the sinkage z (m) under a wheel of width b; shear strength
    c + p tan(phi), of which 1 - exp(-j / K) is mobilized after the shear j (m).
    """

    #: c (Pa)
    cohesion: float = 800.0
    #: phi (rad)
    friction_angle: float = 0.6493
    #: kc (N/m^(n+1)) and kphi (N/m^(n+2))
    cohesive_modulus: float = 1.37e3
    frictional_modulus: float = 8.14e5
    #: n
    exponent: float = 1.0
    #: K (m)
    shear_modulus: float = 0.025
    #: where the pressure is highest, as a share of the entry angle: a0 + a1 slip
    peak: tuple[float, float] = (0.4, 0.15)
    #: how high the soil stands behind the wheel, as a share of the sinkage
    rebound: float = 1.0


class Surface(NamedTuple):
    """The ground at a point: height (m), unit normal, friction coefficient and soil."""

    height: Scalar
    normal: Vec3
    friction: Scalar
    soil: Soil


class Terrain(ABC):
    """A surface z = height(x, y) in the world, with the fields `friction` and `soil`.

    A new kind of terrain derives from this, is a dataclass, and has the first two methods.
    """

    friction: float
    soil: Soil

    @abstractmethod
    def height(self, x: Any, y: Any) -> Any:
        """Height (m) at x, y (m)."""

    @abstractmethod
    def slope(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Derivatives of the height by x and by y."""

    def friction_at(self, x: Any, y: Any) -> Any:
        """Friction coefficient at x, y: one for all, unless the terrain lies on another one."""
        return self.friction

    def surface(self, x: Any, y: Any) -> Surface:
        """Height, normal, friction and soil at x, y."""
        by_x, by_y = self.slope(x, y)
        scale = 1.0 / sqrt(1.0 + by_x * by_x + by_y * by_y)
        normal = Vec3(-(by_x * scale), -(by_y * scale), scale)
        return Surface(self.height(x, y), normal, self.friction_at(x, y), self.soil)

    @property
    def digest(self) -> str:
        """Hash of all that compiled code depends on."""
        total = hashlib.sha256(type(self).__qualname__.encode())
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            if isinstance(value, Terrain):
                value = value.digest
            elif isinstance(value, np.ndarray):
                value = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest(), value.shape
            total.update(repr((item.name, value)).encode())
        return total.hexdigest()
