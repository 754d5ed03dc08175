"""Surfaces as heights over a grid: from a function, a mesh or numbers, with normals and geodesics."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.extras import require

__all__ = ["Surface"]

#: Steps of a geodesic per cell of the grid.
_PER_CELL = 4

#: Points of a grid.
_MOST = 10_000_000


class Surface:
    """Heights z(x, y) in metres over a rectangle, smooth between the points of a grid (bicubic).

    `x` (columns) and `y` (rows) are evenly spaced, `heights` has the shape (rows, columns).
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, heights: ArrayLike) -> None:
        interpolate: Any = require("scipy.interpolate", "the surface of a workpiece")
        self.x, self.y = np.array(x, dtype=float), np.array(y, dtype=float)
        self.heights = np.array(heights, dtype=float)
        if self.heights.shape != (len(self.y), len(self.x)) or min(self.heights.shape) < 4:
            raise InputError(
                f"a surface needs heights (rows along y, columns along x), at least 4 x 4, "
                f"not {self.heights.shape} for {len(self.y)} rows and {len(self.x)} columns"
            )
        if not np.isfinite(self.heights).all():
            raise InputError("a surface needs finite heights: fill its holes, or cut it smaller")
        self.spacing = float(self.x[1] - self.x[0]), float(self.y[1] - self.y[0])
        for axis, step in ((self.x, self.spacing[0]), (self.y, self.spacing[1])):
            if step <= 0.0 or np.abs(np.diff(axis) - step).max() > 1e-9 * max(1.0, np.abs(axis).max()):
                raise InputError("the grid of a surface must be evenly spaced and increase")
        self._spline = interpolate.RectBivariateSpline(self.y, self.x, self.heights)

    @classmethod
    def of_function(
        cls,
        function: Callable[[np.ndarray, np.ndarray], Any],
        x: tuple[float, float],
        y: tuple[float, float],
        spacing: float,
    ) -> Surface:
        """From z = function(x, y) over arrays, with a grid of about this spacing (m)."""
        counts = [max(round((end[1] - end[0]) / spacing), 3) + 1 for end in (x, y)]
        if counts[0] * counts[1] > _MOST:
            raise InputError(f"the grid of a surface has at most {_MOST} points: give a larger spacing")
        columns, rows = np.linspace(*x, counts[0]), np.linspace(*y, counts[1])
        grid = np.meshgrid(columns, rows)
        return cls(columns, rows, np.broadcast_to(function(*grid), grid[0].shape))

    @classmethod
    def of_mesh(cls, mesh: Any, x: tuple[float, float], y: tuple[float, float], spacing: float) -> Surface:
        """From a mesh of trimesh, or a mesh file: its highest point over every point of the grid.

        STEP files need the extra `step`; they are tessellated to 10 um, in metres.
        """
        triangles = _triangles(mesh)
        return cls.of_function(lambda a, b: _highest(triangles, a, b), x, y, spacing)

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """z (m) at points."""
        return self._spline.ev(y, x)

    def point(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Points (n, 3) of the surface."""
        return np.stack([*np.broadcast_arrays(x, y, self.height(x, y))], axis=-1).astype(float)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Unit normals (n, 3), upwards."""
        across, along = self._spline.ev(y, x, dx=1), self._spline.ev(y, x, dy=1)
        n = np.stack([-along, -across, np.ones_like(along)], axis=-1)
        return n / np.linalg.norm(n, axis=-1, keepdims=True)

    def contains(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Whether points are above its rectangle."""
        x, y = np.asarray(x), np.asarray(y)
        return (self.x[0] <= x) & (x <= self.x[-1]) & (self.y[0] <= y) & (y <= self.y[-1])

    def geodesics(self, points: np.ndarray, directions: np.ndarray, length: ArrayLike) -> np.ndarray:
        """Ends (n, 3) of geodesics of given lengths (m) from points along directions (n, 3).

        The direction is carried along: after every short step the point goes back to the surface, and the
        direction loses its part along the normal.
        """
        p, t = np.array(points, dtype=float), np.array(directions, dtype=float)
        lengths = np.broadcast_to(np.asarray(length, dtype=float), len(p))
        steps = max(1, int(np.ceil(_PER_CELL * np.abs(lengths).max(initial=0.0) / min(self.spacing))))
        step = (lengths / steps)[:, None]
        for _ in range(steps):
            t = self._tangent(p, t)
            # midpoint rule: the direction half-way
            middle = p + 0.5 * step * t
            p = p + step * self._tangent(middle, t)
            p[:, 2] = self.height(p[:, 0], p[:, 1])
        return p

    def _tangent(self, p: np.ndarray, t: np.ndarray) -> np.ndarray:
        n = self.normal(p[:, 0], p[:, 1])
        t = t - (t * n).sum(axis=1, keepdims=True) * n
        return t / np.linalg.norm(t, axis=1, keepdims=True)


def _triangles(mesh: Any) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles of a mesh of trimesh, or of a file."""
    if not isinstance(mesh, (str, PathLike)):
        if not hasattr(mesh, "triangles"):
            raise InputError(f"a surface needs a mesh of trimesh or a file, not {type(mesh).__name__}")
        return np.asarray(mesh.triangles)
    if str(mesh).lower().endswith((".step", ".stp")):
        from treadle.geometry.step_file import read_step

        points, triangles = read_step(mesh)
    else:
        from treadle.geometry.mesh import read_mesh

        points, triangles = read_mesh(mesh)
    return points[triangles]


def _highest(triangles: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights of triangles above points of a grid, by vertical lines."""
    heights = np.full(x.shape, -np.inf)
    flat = np.stack([x.ravel(), y.ravel()], axis=1)
    best = heights.ravel()
    for a, b, c in triangles:
        low, high = np.min([a, b, c], axis=0), np.max([a, b, c], axis=0)
        near = ((flat >= low[:2] - 1e-12) & (flat <= high[:2] + 1e-12)).all(axis=1).nonzero()[0]
        edges = np.array([b[:2] - a[:2], c[:2] - a[:2]]).T
        if not len(near) or abs(np.linalg.det(edges)) < 1e-18:
            continue
        u, v = np.linalg.solve(edges, (flat[near] - a[:2]).T)
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        best[near[inside]] = np.maximum(best[near[inside]], z[inside])
    if not np.isfinite(best).all():
        raise InputError("the mesh does not cover the whole rectangle: give a smaller x and y")
    return best.reshape(x.shape)
