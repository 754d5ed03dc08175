"""What of a shape is under a plane surface: volume, first moment, and the energy of its buoyancy.

Depths count from the surface down; all lengths are in the axes of the shape. The energy of what is displaced
is rho g times the integral of the depth over the immersed volume; its negative gradient is the buoyancy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from treadle.graph import Scalar, clip, maximum, sqrt, where
from treadle.spatial import Vec3

__all__ = ["Immersed", "box_immersed", "ellipsoid_immersed", "mesh_immersed"]


class Immersed(NamedTuple):
    """Immersed volume (m3), its first moment about the shape's origin, the integral of the depth (m4)."""

    volume: Scalar
    moment: Vec3
    depth: Scalar


def ellipsoid_immersed(half_axes: Sequence[Scalar], up: Vec3, depth: Scalar) -> Immersed:
    """Of an ellipsoid whose centre is at a depth (m) under a surface with the unit normal `up`.

    Stretched to a unit sphere, it is a spherical cap of the height h = 1 + depth / e, with e half its extent
    along the normal: volume pi h^2 (3 - h) / 3, first moment pi h^2 (2 - h)^2 / 4 below the centre.
    """
    a, b, c = half_axes
    stretched = Vec3(a * up.x, b * up.y, c * up.z)
    extent = sqrt(stretched.dot(stretched))
    h = clip(1.0 + depth / extent, 0.0, 2.0)
    size = a * b * c
    volume = (math.pi / 3.0 * size) * (h * h * (3.0 - h))
    below = (math.pi / 4.0 * size) * (h * h * (2.0 - h) * (2.0 - h))
    # the centroid lies where the stretched normal points, brought back
    down = Vec3(a * stretched.x, b * stretched.y, c * stretched.z) * (-below / extent)
    capped = (math.pi * size) * (h * h * h / 3.0 - h * h * h * h / 12.0) * extent
    beyond = (4.0 / 3.0 * math.pi * size) * maximum(depth - extent, 0.0)
    return Immersed(volume, down, capped + beyond)


def box_immersed(size: Sequence[Scalar], up: Vec3, depth: Scalar) -> Immersed:
    """Of a box with these lengths, whose centre is at a depth (m)."""
    corners = [
        Vec3(0.5 * sx * size[0], 0.5 * sy * size[1], 0.5 * sz * size[2])
        for sx, sy, sz in product((-1.0, 1.0), repeat=3)
    ]
    return mesh_immersed(corners, _BOX, up, depth)


#: Triangles of a box, counterclockwise from outside; corners are numbered 4 x + 2 y + z.
_BOX = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
)  # fmt: skip


def mesh_immersed(
    points: Sequence[Vec3], triangles: Sequence[Sequence[int]], up: Vec3, depth: Scalar
) -> Immersed:
    """Of a closed mesh (triangles counterclockwise from outside), whose origin is at a depth (m).

    By the divergence theorem all are integrals over the triangles' immersed parts, with d the depth:

        V = int -d n_up dA,    int x dV = int -(d x + up d^2 / 2) n_up dA,    int d dV = int -d^2/2 n_up dA

    None of them has a part on the surface itself, where d = 0.
    """
    depths = [depth - up.dot(point) for point in points]
    volume: Scalar = 0.0
    moment, twice = Vec3(), 0.0
    for i, j, k in triangles:
        normal = (points[j] - points[i]).cross(points[k] - points[i]) * 0.5
        flux = -up.dot(normal)
        d, x, square = _wet_means([depths[m] for m in (i, j, k)], [points[m] for m in (i, j, k)])
        volume = volume + flux * d
        moment = moment + (x + up * (0.5 * square)) * flux
        twice = twice + flux * square
    return Immersed(volume, moment, 0.5 * twice)


def _wet_means(depths: Sequence[Scalar], points: Sequence[Vec3]) -> tuple[Scalar, Vec3, Scalar]:
    """Means over a triangle of d, d x and d^2, with d the depth where it is positive and else zero.

    Where one corner is wet, the wet part is a triangle at it; where two are, the dry part is one.
    """
    whole = _means(depths, points)
    count = [where(d > 0.0, 1.0, 0.0) for d in depths]
    wet = count[0] + count[1] + count[2]
    total: tuple[Scalar, Vec3, Scalar] = (0.0, Vec3(), 0.0)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        # the part at corner k, if it is alone on its side of the surface
        s, t = (_cut(depths[k], depths[other]) for other in (i, j))
        near = [depths[k], 0.0, 0.0]
        ends = [points[k], points[k] + (points[i] - points[k]) * s, points[k] + (points[j] - points[k]) * t]
        part = _means(near, ends)
        share = s * t
        single = where(wet < 1.5, count[k], where(wet < 2.5, -(1.0 - count[k]), 0.0)) * share
        total = _plus(total, part, single)
    base = where(wet > 1.5, 1.0, 0.0)
    return _plus(total, whole, base)


def _cut(here: Scalar, there: Scalar) -> Scalar:
    """Share of an edge up to the surface, from a corner on one side to one on the other; else 1."""
    crossing = here * there < 0.0
    return where(crossing, here / where(crossing, here - there, 1.0), 1.0)


def _means(d: Sequence[Scalar], x: Sequence[Vec3]) -> tuple[Scalar, Vec3, Scalar]:
    """Means of d, d x and d^2 over a triangle, with d and x linear between its corners."""
    total = d[0] + d[1] + d[2]
    middle = x[0] + x[1] + x[2]
    weighted = middle * total
    for depth, point in zip(d, x, strict=True):
        weighted = weighted + point * depth
    square = total * total + d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    return total * (1.0 / 3.0), weighted * (1.0 / 12.0), square * (1.0 / 12.0)


def _plus(
    a: tuple[Scalar, Vec3, Scalar], b: tuple[Scalar, Vec3, Scalar], scale: Scalar
) -> tuple[Scalar, Vec3, Scalar]:
    return a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale
