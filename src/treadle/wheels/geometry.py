"""Where a wheel touches the terrain, and in which directions it slips.

A wheel is a circle (or a tread around it) in the plane across its axle. The place that is deepest in the
ground is looked for at some points of the lower half: a sine through the best of them and its neighbours
gives the place between them, which on a plane is exact for any number of points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treadle.graph import Scalar, clip, maximum, minimum, sqrt, where
from treadle.model.attachments import Wheel
from treadle.spatial import Transform, Vec3
from treadle.terrain import Surface, Terrain

__all__ = ["Touch", "touches"]

#: Tilt (sine) from which a flat tread stands on its edge.
EDGE = 0.02

#: Squared lengths below this are no directions: an axle that stands upright has no lowest point.
_NO_DIRECTION = 1e-12

#: A depth (m) that no ground has: the second contact of a wheel that has only one.
_AWAY = -1e3


@dataclass(frozen=True)
class Touch:
    """A place where a wheel is in the ground, or nearest to it (depth below zero).

    x is the direction in which the wheel rolls, y the one across, both in the ground's surface; the normal
    points out of the ground. All vectors are in world axes.
    """

    point: Vec3
    x: Vec3
    y: Vec3
    normal: Vec3
    axle: Vec3
    depth: Scalar
    surface: Surface


def touches(wheel: Wheel, X_WB: Transform, terrain: Terrain) -> list[Touch]:
    """As many places as the wheel has contacts."""
    axle = X_WB.rotation.apply(Vec3(*wheel.axis))
    center = X_WB.translation
    radius = wheel.radius - (0.5 * wheel.width if wheel.tread == "torus" else 0.0)
    up = _direction(Vec3(0.0, 0.0, 1.0) - axle * axle.z)
    ahead = axle.cross(up)

    def place(sine: Scalar, cosine: Scalar) -> Vec3:
        return center + ahead * (radius * sine) - up * (radius * cosine)

    def clearance(sine: Scalar, cosine: Scalar) -> Scalar:
        point = place(sine, cosine)
        return point.z - terrain.height(point.x, point.y)

    angles = [math.pi * (k / (wheel.points - 1) - 0.5) for k in range(wheel.points)]
    gaps = [clearance(math.sin(angle), math.cos(angle)) for angle in angles]
    first = _lowest(gaps)
    chosen = [(first, True)]
    if wheel.contacts > 1:
        chosen.append(_second(gaps, first))
    found = []
    for index, there in chosen:
        point = place(*_refined(gaps, angles, index))
        found.append(_touch(wheel, point, axle, terrain, there))
    return found


def _lowest(gaps: Sequence[Scalar]) -> Scalar:
    """Index of the smallest gap, the ends of the row left out."""
    index: Scalar = 1.0
    least = gaps[1]
    for k in range(2, len(gaps) - 1):
        index = where(gaps[k] < least, float(k), index)
        least = minimum(gaps[k], least)
    return index


def _second(gaps: Sequence[Scalar], first: Scalar) -> tuple[Scalar, Any]:
    """Index of the deepest other valley among the gaps, away from the first, and whether there is one."""
    index: Scalar = 1.0
    least: Scalar = -_AWAY
    for k in range(1, len(gaps) - 1):
        valley = (gaps[k] <= gaps[k - 1]) & (gaps[k] <= gaps[k + 1]) & (abs(first - float(k)) > 1.5)
        better = valley & (gaps[k] < least)
        index, least = where(better, float(k), index), where(better, gaps[k], least)
    return index, least < -0.5 * _AWAY


def _refined(gaps: Sequence[Scalar], angles: Sequence[float], index: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of the angle at which the sine through three neighbouring gaps is smallest.

    gap(phi) = a + b cos(phi) + c sin(phi) around the middle one, at phi = -h, 0, h.
    """
    before, middle, after = gaps[0], gaps[1], gaps[2]
    sine, cosine = math.sin(angles[1]), math.cos(angles[1])
    for k in range(2, len(gaps) - 1):
        here = index > k - 0.5
        before, middle, after = (
            where(here, gaps[k + shift], old) for shift, old in ((-1, before), (0, middle), (1, after))
        )
        sine, cosine = where(here, math.sin(angles[k]), sine), where(here, math.cos(angles[k]), cosine)
    h = angles[1] - angles[0]
    c = (after - before) * (0.5 / math.sin(h))
    b = minimum((middle - 0.5 * (after + before)) * (1.0 / (1.0 - math.cos(h))), -1e-9)
    scale = 1.0 / sqrt(b * b + c * c)
    s = clip(-(c * scale), -math.sin(h), math.sin(h))
    r = sqrt(1.0 - s * s)
    return sine * r + cosine * s, cosine * r - sine * s


def _touch(wheel: Wheel, point: Vec3, axle: Vec3, terrain: Terrain, there: Any) -> Touch:
    surface = terrain.surface(point.x, point.y)
    normal = surface.normal
    depth = (surface.height - point.z) * normal.z
    tilt = axle.dot(normal)
    if wheel.tread == "torus":
        point, depth = point - normal * (0.5 * wheel.width), depth + 0.5 * wheel.width
    elif wheel.tread == "cylinder":
        shift = (-0.5 * wheel.width) * clip(tilt * (1.0 / EDGE), -1.0, 1.0)
        point, depth = point + axle * shift, depth - shift * tilt
    if there is not True:
        depth = where(there, depth, _AWAY)
    x = _direction(axle.cross(normal))
    return Touch(point, x, normal.cross(x), normal, axle, depth, surface)


def _direction(vector: Vec3) -> Vec3:
    """The vector at unit length, or nothing where it has no direction."""
    return vector * (1.0 / sqrt(maximum(vector.dot(vector), _NO_DIRECTION)))
