"""A solid bounded by flat polygons: the value that the roadheader's shapes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Solid", "joined", "mass_properties", "rotation"]

Face = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Solid:
    """Points (n, 3) and faces that name them, counter-clockwise from outside: one or more closed shells."""

    points: np.ndarray
    faces: tuple[Face, ...]

    def __add__(self, other: Solid) -> Solid:
        return joined([self, other])

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Solid:
        """Shifted by (x, y, z)."""
        return Solid(self.points + np.array([x, y, z]), self.faces)

    def turned(self, axis: str, angle: float) -> Solid:
        """Turned about the axis "x", "y" or "z" through the origin by an angle (rad)."""
        return Solid(self.points @ rotation(axis, angle).T, self.faces)

    def across(self) -> Solid:
        """What runs along x, turned to run along y."""
        return self.turned("z", pi / 2)

    def upright(self) -> Solid:
        """What runs along x, turned to run along z."""
        return self.turned("y", -pi / 2)

    def placed(self, R: ArrayLike, position: ArrayLike = (0.0, 0.0, 0.0)) -> Solid:
        """Turned by the rotation matrix R, then shifted."""
        return Solid(self.points @ np.asarray(R).T + np.asarray(position), self.faces)

    def mirrored(self) -> Solid:
        """The image on the other side of the machine: y changes its sign."""
        return Solid(self.points * (1.0, -1.0, 1.0), tuple(face[::-1] for face in self.faces))


def joined(solids: Iterable[Solid]) -> Solid:
    """Several solids as one, shells side by side."""
    points: list[np.ndarray] = []
    faces: list[Face] = []
    start = 0
    for solid in solids:
        points.append(solid.points)
        faces += [tuple(index + start for index in face) for face in solid.faces]
        start += len(solid.points)
    return Solid(np.vstack(points), tuple(faces))


def rotation(axis: str, angle: float) -> np.ndarray:
    """Rotation matrix about "x", "y" or "z" by an angle (rad)."""
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[first, first] = R[second, second] = cos(angle)
    R[second, first] = sin(angle)
    R[first, second] = -sin(angle)
    return R


def mass_properties(solids: Sequence[Solid]) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume (m3), centroid (3,) and inertia about it (3, 3) at density 1 of solids taken together.

    Every face is cut into triangles; each spans a tetrahedron with the origin, whose signed moments
    add up to those of the solid:  V = det / 6,  sum of p p^T = det / 120 (s s^T + sum of corners' c c^T).
    """
    a, b, c = _triangles(joined(solids))
    det = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = det.sum() / 6
    total = a + b + c
    centroid = det @ total / 24 / volume
    second = sum(np.einsum("i,ij,ik->jk", det, p, p) for p in (total, a, b, c)) / 120
    second = second - volume * np.outer(centroid, centroid)
    return float(volume), centroid, np.trace(second) * np.eye(3) - second


def _triangles(solid: Solid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners of the triangles that fan out from the first point of each face, (triangles, 3) each."""
    corners = [
        (face[0], second, third)
        for face in solid.faces
        for second, third in pairwise(face[1:])
    ]  # fmt: skip
    first, second, third = np.array(corners).T
    return solid.points[first], solid.points[second], solid.points[third]
