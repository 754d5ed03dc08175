"""A mesh that can collide: points and triangles that have been checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError, ModelError
from treadle.extras import require

__all__ = ["Mesh", "checked_mesh", "convex_hull"]

#: Comparisons of points with triangles up to which a mesh is tested for being convex.
_MOST_TESTS = 50_000_000


@dataclass(frozen=True, eq=False)
class Mesh:
    """Points (n, 3) about their middle (m), triangles (m, 3), and whether they bound a solid, a convex one.

    The `middle` of the box around the points is where they are in the shape's frame.
    """

    points: np.ndarray
    triangles: np.ndarray
    middle: np.ndarray
    closed: bool
    convex: bool

    @property
    def half(self) -> np.ndarray:
        """Half lengths (3) of the box around it."""
        return self.points.max(axis=0)

    @property
    def radius(self) -> float:
        """Of the bounding sphere around the middle."""
        return float(np.linalg.norm(self.points, axis=1).max())


def checked_mesh(name: str, points: ArrayLike, triangles: ArrayLike) -> Mesh:
    """A mesh without triangles that have no area; ModelError if nothing is left or a number is wrong.

    A closed mesh that is inside out is turned. One that is open stays a surface.
    """
    element = f'shape "{name}"'
    corners, faces = np.asarray(points, dtype=float), np.asarray(triangles)
    if corners.ndim != 2 or corners.shape[1:] != (3,) or faces.ndim != 2 or faces.shape[1:] != (3,):
        hint = "give points (n, 3) and triangles (m, 3)"
        raise ModelError("its mesh has the wrong shape", element=element, hint=hint)
    if not np.isfinite(corners).all():
        raise ModelError("its mesh has a point that is not finite", element=element, hint="repair the mesh")
    if len(faces) and (faces.min() < 0 or faces.max() >= len(corners)):
        raise ModelError("its mesh has a triangle without a point", element=element, hint="repair the mesh")
    normals = np.cross(
        corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]]
    )
    scale = np.ptp(corners, axis=0).max() if len(corners) else 0.0
    area = np.linalg.norm(normals, axis=1) > 1e-14 * scale * scale
    faces, normals = faces[area].astype(np.int64), normals[area]
    if len(faces) == 0:
        raise ModelError("its mesh has no area", element=element, hint="repair the mesh, or leave it out")
    used, numbers = np.unique(faces, return_inverse=True)
    corners, faces = np.ascontiguousarray(corners[used]), numbers.reshape(-1, 3)
    corners, faces = _merged(corners, faces)
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    corners = corners - middle
    if _closed(faces):
        volume = np.einsum(
            "ij,ij->i", corners[faces[:, 0]], np.cross(corners[faces[:, 1]], corners[faces[:, 2]])
        )
        if volume.sum() < 0.0:
            faces = np.ascontiguousarray(faces[:, ::-1])
        return Mesh(corners, faces, middle, True, _convex(corners, faces, scale))
    return Mesh(corners, faces, middle, False, False)


def convex_hull(points: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and triangles (m, 3) of the convex hull of points.

    A mesh that is replaced by it touches as a solid, and faster than as triangles.
    """
    spatial: Any = require("scipy.spatial", "a convex hull")
    corners = np.asarray(points, dtype=float)
    try:
        hull = spatial.ConvexHull(corners)
    except (spatial.QhullError, ValueError):
        raise InputError("a hull needs four points that are finite and not in one plane") from None
    a, b, c = (corners[hull.simplices[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    used, numbers = np.unique(faces, return_inverse=True)
    return corners[used], numbers.reshape(-1, 3)


def _merged(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points in one place as one: files often repeat them for every triangle."""
    points, numbers = np.unique(points, axis=0, return_inverse=True)
    return points, numbers.reshape(-1)[triangles]


def _closed(triangles: np.ndarray) -> bool:
    """Whether every edge is shared by two triangles that agree on which side is out."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    keys = edges[:, 0] * (triangles.max() + 1) + edges[:, 1]
    back = edges[:, 1] * (triangles.max() + 1) + edges[:, 0]
    return len(np.unique(keys)) == len(keys) and np.array_equal(np.sort(keys), np.sort(back))


def _convex(points: np.ndarray, triangles: np.ndarray, scale: float) -> bool:
    """Whether no point lies on the outer side of any triangle."""
    if len(points) * len(triangles) > _MOST_TESTS:
        return False
    first = points[triangles[:, 0]]
    normals = np.cross(points[triangles[:, 1]] - first, points[triangles[:, 2]] - first)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return bool(((normals @ points.T) - np.einsum("ij,ij->i", normals, first)[:, None]).max() < 1e-7 * scale)
