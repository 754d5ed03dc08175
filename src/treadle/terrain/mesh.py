"""Triangle meshes as terrain: the highest surface over every point of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.terrain.grid import MOST_POINTS, Grid

__all__ = ["mesh_grid", "mesh_heights"]


def mesh_grid(points: ArrayLike, triangles: ArrayLike, spacing: float, **options: Any) -> Grid:
    """The terrain of a mesh: points (n, 3) in m and triangles (m, 3) of their numbers, seen from above.

    Points of the grid that no triangle covers are as low as the lowest of the others; `options` are a Grid's.
    """
    heights, origin = mesh_heights(np.asarray(points, dtype=float), np.asarray(triangles, dtype=int), spacing)
    lowest = np.nanmin(heights) if np.isfinite(heights).any() else 0.0
    return Grid(np.where(np.isfinite(heights), heights, lowest), (spacing, spacing), origin, **options)


def mesh_heights(
    points: np.ndarray, triangles: np.ndarray, spacing: float
) -> tuple[np.ndarray, tuple[float, float]]:
    """Heights at the points of a grid over the mesh, nan where there is none, and the grid's origin."""
    if points.ndim != 2 or points.shape[1:] != (3,) or not np.isfinite(points).all() or not len(points):
        raise InputError("the points of a mesh are three finite numbers each")
    if triangles.ndim != 2 or triangles.shape[1:] != (3,) or not len(triangles):
        raise InputError("the triangles of a mesh are the numbers of three points each")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise InputError("a triangle of the mesh names a point that is not there")
    if not spacing > 0.0:
        raise InputError(f"the spacing of a grid is a positive length, not {spacing}")
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    counts = np.floor((high - low) / spacing + 1e-9) + 1.0
    if counts.prod() > MOST_POINTS:
        raise InputError(f"a grid over the mesh would have {counts.prod():.0f} points; use a larger spacing")
    heights = np.full(counts.astype(int), np.nan)
    for corners in points[triangles]:
        _cover(heights, (corners - [*low, 0.0]) / [spacing, spacing, 1.0])
    return heights, (float(low[0]), float(low[1]))


def _cover(heights: np.ndarray, corners: np.ndarray) -> None:
    """Raise the heights under a triangle, given in steps of the grid, to its plane."""
    a, b, c = corners
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if abs(area) < 1e-12:
        return
    first = np.maximum(np.ceil(corners[:, :2].min(axis=0) - 1e-9).astype(int), 0)
    last = np.minimum(np.floor(corners[:, :2].max(axis=0) + 1e-9).astype(int) + 1, heights.shape)
    x, y = np.meshgrid(*[np.arange(lo, hi) for lo, hi in zip(first, last, strict=True)], indexing="ij")
    s = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
    t = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
    inside = (s > -1e-9) & (t > -1e-9) & (s + t < 1.0 + 1e-9)
    z = a[2] + s * (b[2] - a[2]) + t * (c[2] - a[2])
    part = heights[first[0] : last[0], first[1] : last[1]]
    part[inside] = np.fmax(part[inside], z[inside])
