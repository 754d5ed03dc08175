"""A surface that work wears away: a field of heights out of the material, with its place in the world."""

from __future__ import annotations

import numpy as np

from treadle.errors import InputError
from treadle.process.surface import Surface

__all__ = ["WorkedSurface"]


class WorkedSurface:
    """Heights (m) towards the outside over a rectangle; work lowers them.

    `X_WS` (4, 4) is the pose of its frame, z out of the material. A field of heights has no caves.
    """

    def __init__(self, surface: Surface, X_WS: np.ndarray | None = None) -> None:
        self.surface = surface
        self.X_WS = np.eye(4) if X_WS is None else np.array(X_WS, dtype=float)
        if self.X_WS.shape != (4, 4) or not np.isfinite(self.X_WS).all():
            raise InputError("the pose of a worked surface must be a 4 x 4 matrix of finite numbers")
        #: heights at the start, and now
        self.fresh = surface.heights.copy()
        self.heights = surface.heights.copy()

    @property
    def grid(self) -> np.ndarray:
        """First x and y, and the spacings (m)."""
        return np.array([self.surface.x[0], self.surface.y[0], *self.surface.spacing])

    @property
    def cell(self) -> float:
        """Area of a cell (m2)."""
        return self.surface.spacing[0] * self.surface.spacing[1]

    @property
    def depth(self) -> np.ndarray:
        """Removed depth (rows, columns), in m."""
        return self.fresh - self.heights

    @property
    def removed(self) -> float:
        """Volume that was removed (m3)."""
        return float(self.depth.sum()) * self.cell

    def points(self) -> np.ndarray:
        """Its points in the world (rows, columns, 3)."""
        X, Y = np.meshgrid(self.surface.x, self.surface.y)
        local = np.stack([X, Y, self.heights], axis=-1)
        return local @ self.X_WS[:3, :3].T + self.X_WS[:3, 3]
