"""Tool paths on surfaces: points with normals and feed directions; parallel curves, zig-zag, spiral.

Curves parallel to a first one are its geodesic offsets: from every point the same way along the geodesic
that starts across the curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.process.surface import Surface

__all__ = ["ToolPath", "parallel_paths", "path_on", "spiral", "zigzag"]


@dataclass(frozen=True)
class ToolPath:
    """Points (n, 3) in m with unit normals out of the material and unit feed directions (n, 3)."""

    points: np.ndarray
    normals: np.ndarray
    directions: np.ndarray

    def __len__(self) -> int:
        return len(self.points)

    @property
    def lengths(self) -> np.ndarray:
        """Length of the path up to every point (m)."""
        steps = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def offset(self, height: ArrayLike) -> ToolPath:
        """The path moved along its normals, by one height (m) or one per point."""
        shift = np.broadcast_to(np.asarray(height, dtype=float), len(self))
        return ToolPath(self.points + shift[:, None] * self.normals, self.normals, self.directions)

    def poses(self) -> np.ndarray:
        """Poses (n, 4, 4) of a tool whose z axis goes into the material and whose x axis is the feed."""
        z, x = -self.normals, self.directions
        poses = np.tile(np.eye(4), (len(self), 1, 1))
        poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2] = x, np.cross(z, x), z
        poses[:, :3, 3] = self.points
        return poses

    def with_leads(self, length: float, height: float, count: int = 8) -> ToolPath:
        """The path with a lead-in and a lead-out: along the tangent, rising smoothly to a height (m)."""
        share = np.linspace(1.0, 0.0, count, endpoint=False)
        # zero slope where it meets the path
        rise = height * share**2
        first = (
            self.points[0] - length * share[:, None] * self.directions[0] + rise[:, None] * self.normals[0]
        )
        last = self.points[-1] + length * share[::-1, None] * self.directions[-1]
        last = last + rise[::-1, None] * self.normals[-1]
        return ToolPath(
            np.concatenate([first, self.points, last]),
            np.concatenate(
                [np.repeat(self.normals[:1], count, 0), self.normals, np.repeat(self.normals[-1:], count, 0)]
            ),
            np.concatenate(
                [
                    np.repeat(self.directions[:1], count, 0),
                    self.directions,
                    np.repeat(self.directions[-1:], count, 0),
                ]
            ),
        )


def path_on(surface: Surface, points: ArrayLike, spacing: float) -> ToolPath:
    """A polyline (n, 2 or 3: x and y count) laid onto a surface, with points at about this spacing (m)."""
    corners = np.asarray(points, dtype=float)
    if corners.ndim != 2 or len(corners) < 2 or corners.shape[1] < 2 or not np.isfinite(corners).all():
        raise InputError("a path on a surface needs at least two points with x and y")
    if not np.ptp(corners[:, :2], axis=0).any():
        raise InputError("the points of a path on a surface must not all be the same")
    if not surface.contains(corners[:, 0], corners[:, 1]).all():
        raise InputError("the path leaves the surface: choose points above its rectangle")
    # first fine in x and y, then even along the surface
    fine = _even(corners[:, :2], min(surface.spacing))
    return _of_points(surface, _even(surface.point(fine[:, 0], fine[:, 1]), spacing))


def parallel_paths(surface: Surface, first: ToolPath, spacing: float, count: int) -> list[ToolPath]:
    """The first path and `count` - 1 more at geodesic distances of `spacing` (m) to its left.

    Negative spacing: to its right. Points that would leave the surface are left out.
    """
    across = np.cross(first.normals, first.directions) * np.sign(spacing)
    paths = [first]
    for k in range(1, count):
        points = surface.geodesics(first.points, across, abs(spacing) * k)
        points = points[surface.contains(points[:, 0], points[:, 1])]
        if len(points) < 2:
            raise InputError(f"only {k} of {count} parallel paths fit onto the surface")
        paths.append(_of_points(surface, points))
    return paths


def zigzag(surface: Surface, paths: Sequence[ToolPath], spacing: float) -> ToolPath:
    """All paths as one, every other one backwards, joined along the surface."""
    pieces: list[np.ndarray] = []
    for k, path in enumerate(paths):
        points = path.points if k % 2 == 0 else path.points[::-1]
        if pieces:
            joint = _even(np.stack([pieces[-1][-1], points[0]])[:, :2], spacing)[1:-1]
            pieces.append(surface.point(joint[:, 0], joint[:, 1]))
        pieces.append(points)
    return _of_points(surface, np.concatenate(pieces))


def spiral(
    surface: Surface, center: tuple[float, float], pitch: float, turns: float, spacing: float
) -> ToolPath:
    """A spiral about a point, whose turns have the geodesic distance `pitch` (m)."""
    radius = pitch * turns
    # angles at which the points of an Archimedean spiral are evenly spaced, from the inside out
    count = max(int(np.pi * turns * radius / spacing), 8)
    angle = 2.0 * np.pi * turns * np.sqrt(np.linspace(0.0, 1.0, count))
    middle = surface.point(*center)
    normal = surface.normal(*center)
    first = np.cross(normal, (0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (1.0, 0.0, 0.0))
    first = -first / np.linalg.norm(first)
    second = np.cross(normal, first)
    rays = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second
    points = surface.geodesics(np.repeat(middle[None], count, 0), rays, pitch * angle / (2.0 * np.pi))
    if not surface.contains(points[:, 0], points[:, 1]).all():
        raise InputError("the spiral leaves the surface: give it fewer turns or a smaller pitch")
    return _of_points(surface, points)


def _of_points(surface: Surface, points: np.ndarray) -> ToolPath:
    normals = surface.normal(points[:, 0], points[:, 1])
    along = np.gradient(points, axis=0)
    along -= (along * normals).sum(axis=1, keepdims=True) * normals
    return ToolPath(points, normals, along / np.linalg.norm(along, axis=1, keepdims=True))


def _even(points: np.ndarray, spacing: float) -> np.ndarray:
    """Points at equal distances, about `spacing`, along a polyline."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, lengths[-1], max(round(lengths[-1] / spacing), 1) + 1)
    return np.stack([np.interp(at, lengths, column) for column in points.T], axis=1)
