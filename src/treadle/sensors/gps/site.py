"""Where a scene lies on the Earth: the tangent plane of WGS84 at its origin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.extras import require

__all__ = ["Site"]


@dataclass(frozen=True)
class Site:
    """Latitude and longitude (deg, north and east positive) and ellipsoidal height (m) of the world's origin.

    The world's x points east, y north and z up, turned about z by `heading` (rad): the world's x axis is
    `heading` counter-clockwise from east.
    """

    latitude: float
    longitude: float
    height: float = 0.0
    heading: float = 0.0

    def __post_init__(self) -> None:
        values = (self.latitude, self.longitude, self.height, self.heading)
        if not (np.isfinite(values).all() and abs(self.latitude) <= 90.0 and abs(self.longitude) <= 360.0):
            raise InputError(
                f"a site is a latitude in [-90, 90] and a longitude in degrees, not {self.latitude}, "
                f"{self.longitude}"
            )

    @cached_property
    def origin(self) -> np.ndarray:
        """The world's origin in Earth-fixed axes (m)."""
        return np.array(_pymap3d().geodetic2ecef(self.latitude, self.longitude, self.height), dtype=float)

    @cached_property
    def R_EW(self) -> np.ndarray:
        """Rotation from world axes to Earth-fixed axes."""
        c, s = np.cos(self.heading), np.sin(self.heading)
        east_north_up = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        columns = [_pymap3d().enu2uvw(*axis, self.latitude, self.longitude) for axis in east_north_up.T]
        return np.array(columns, dtype=float).T

    def to_earth(self, position: ArrayLike) -> np.ndarray:
        """Points (..., 3) of the world in Earth-fixed axes (m)."""
        return self.origin + np.asarray(position, dtype=float) @ self.R_EW.T

    def to_world(self, position: ArrayLike) -> np.ndarray:
        """Points (..., 3) in Earth-fixed axes in the world's (m)."""
        return (np.asarray(position, dtype=float) - self.origin) @ self.R_EW

    def geodetic(self, position: ArrayLike) -> np.ndarray:
        """Latitude (deg), longitude (deg) and height (m) of points (..., 3) of the world."""
        earth = self.to_earth(position)
        x, y, z = earth[..., 0], earth[..., 1], earth[..., 2]
        return np.stack(_pymap3d().ecef2geodetic(x, y, z), axis=-1)

    def azimuth_elevation(self, directions: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Azimuth (rad, from north to east, 0 to 2 pi) and elevation (rad) of world directions (..., 3)."""
        d = np.asarray(directions, dtype=float)
        x, y, z = d[..., 0], d[..., 1], d[..., 2]
        azimuth = 0.5 * np.pi - self.heading - np.arctan2(y, x)
        return np.remainder(azimuth, 2.0 * np.pi), np.arctan2(z, np.hypot(x, y))


def _pymap3d() -> Any:
    return require("pymap3d", "GPS")
