"""Shortest ways of a cable around a sphere or a cylinder, between two points.

All is in the frame of the object, with the axis of a cylinder along z. In the plane through the points and
the centre of a sphere, or across the axis of a cylinder, the way is two tangents and an arc; along the axis
the cable advances evenly (a helix). A side point says on which side it passes. One inside the object leads
the cable through a hoop instead: it touches the circle from within where the way is shortest.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from treadle.graph import Scalar, acos, atan2, clip, cos, logical_not, maximum, minimum, sin, sqrt, where
from treadle.spatial import Vec3

__all__ = ["Wrap", "wrap_around"]

#: Lengths (m) and squares of lengths below this are none.
_TINY = 1e-15

#: Rounds of Newton's method for a cable through a hoop, which is convex.
_ROUNDS = 12

#: Rank of a way that crosses itself.
_CROSSED = -10000.0


class Wrap(NamedTuple):
    """Whether the cable touches the object, where it first and last does, and the length in between."""

    touches: Any
    first: Vec3
    last: Vec3
    length: Scalar


class _Plane(NamedTuple):
    """A point in the plane of the circle."""

    x: Scalar
    y: Scalar

    def minus(self, other: _Plane) -> _Plane:
        return _Plane(self.x - other.x, self.y - other.y)

    def dot(self, other: _Plane) -> Scalar:
        return self.x * other.x + self.y * other.y

    def cross(self, other: _Plane) -> Scalar:
        return self.x * other.y - self.y * other.x


class _Arc(NamedTuple):
    """The way along a circle."""

    touches: Any
    first: _Plane
    last: _Plane
    length: Scalar


def wrap_around(kind: str, a: Vec3, b: Vec3, radius: Scalar, side: Vec3 | None, fixed_side: bool) -> Wrap:
    """The way from a to b around the object; `fixed_side` if the side point does not move in its frame."""
    x, y = _plane_axes(a, b) if kind == "sphere" else (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0))
    first, last = (_Plane(p.dot(x), p.dot(y)) for p in (a, b))
    arc = _arc(first, last, x, y, radius, side, fixed_side)
    start, end = (x * p.x + y * p.y for p in (arc.first, arc.last))
    apart = (_norm(a) >= _TINY) & (_norm(b) >= _TINY)
    touches = arc.touches & apart
    if kind == "sphere":
        return Wrap(touches, start, end, arc.length)
    before, after = _length(first.minus(arc.first)), _length(last.minus(arc.last))
    pitch = (b.z - a.z) / maximum(before + arc.length + after, _TINY)
    start = Vec3(start.x, start.y, a.z + pitch * before)
    end = Vec3(end.x, end.y, a.z + pitch * (before + arc.length))
    return Wrap(touches, start, end, arc.length * sqrt(1.0 + pitch * pitch))


def _plane_axes(a: Vec3, b: Vec3) -> tuple[Vec3, Vec3]:
    """Axes of the plane through two points and the centre, the first along a."""
    x = a * (1.0 / maximum(_norm(a), _TINY))
    normal = a.cross(b)
    size = _norm(normal)
    # points on a line through the centre: any plane will do, one that leaves out the longest component of a
    sizes = [abs(c) for c in x]
    second = (sizes[1] > sizes[0]) & (sizes[1] > sizes[2])
    third = (sizes[2] > sizes[0]) & (sizes[2] > sizes[1])
    first = logical_not(second | third)
    other = x.cross(Vec3(*[where(largest, 0.0, 1.0) for largest in (first, second, third)]))
    straight = size < _TINY
    chosen = Vec3(*[where(straight, p, q) for p, q in zip(other, normal, strict=True)])
    chosen = chosen * (1.0 / maximum(_norm(chosen), _TINY))
    return x, chosen.cross(x)


def _arc(a: _Plane, b: _Plane, x: Vec3, y: Vec3, radius: Scalar, side: Vec3 | None, fixed_side: bool) -> _Arc:
    if side is None:
        return _outside(a, b, None, radius)
    toward = _Plane(side.dot(x), side.dot(y))
    scale = radius / maximum(_length(toward), _TINY)
    outside = _outside(a, b, _Plane(toward.x * scale, toward.y * scale), radius)
    within = _norm(side) < radius
    if fixed_side and isinstance(within, bool):
        return _inside(a, b, radius) if within else outside
    inside = _inside(a, b, radius)
    points = [
        _Plane(*[where(within, p, q) for p, q in zip(u, w, strict=True)])
        for u, w in ((inside.first, outside.first), (inside.last, outside.last))
    ]
    touches = (inside.touches & within) | (outside.touches & logical_not(within))
    return _Arc(touches, points[0], points[1], where(within, inside.length, outside.length))


def _outside(a: _Plane, b: _Plane, side: _Plane | None, radius: Scalar) -> _Arc:
    """Two tangents and the arc between them: the shorter way, or the other one if the side point asks for it.

    It does where the ray from it through the centre meets the straight way from a to b.
    """
    square = radius * radius
    near = _nearest(a, b)
    straight = near.dot(near) > square
    ways = [(_tangent(a, radius, turn), _tangent(b, radius, -turn)) for turn in (1.0, -1.0)]
    crossed = [_cross_each_other(a, first, b, last) for first, last in ways]
    spans = [first.minus(last) for first, last in ways]
    ranks = [-span.dot(span) for span in spans]
    if side is not None:
        turn = a.cross(b)
        opposite = (side.cross(a) * turn > 0.0) & (b.cross(side) * turn > 0.0)
        ranks = [where(opposite, -rank, rank) for rank in ranks]
        straight = straight & logical_not(opposite)
    ranks = [where(cross, _CROSSED, rank) for cross, rank in zip(crossed, ranks, strict=True)]
    better = ranks[0] > ranks[1]
    first, last = (
        _Plane(*[where(better, p, q) for p, q in zip(ways[0][k], ways[1][k], strict=True)]) for k in (0, 1)
    )
    angle = atan2(first.cross(last), first.dot(last))
    # the first way turns clockwise from its first point, the second one the other way
    angle = where(better, -angle, angle)
    # an arc of no length may be a little less than none
    angle = where(angle < -1e-9, angle + 2.0 * math.pi, maximum(angle, 0.0))
    apart = b.minus(a)
    possible = (a.dot(a) >= square) & (b.dot(b) >= square) & (apart.dot(apart) >= _TINY)
    touches = possible & logical_not(straight) & logical_not(crossed[0] & crossed[1])
    return _Arc(touches, first, last, radius * angle)


def _tangent(p: _Plane, radius: Scalar, turn: float) -> _Plane:
    size = maximum(p.dot(p), _TINY)
    root = sqrt(maximum(size - radius * radius, _TINY * _TINY))
    along, across = radius * radius / size, turn * radius * root / size
    return _Plane(p.x * along + p.y * across, p.y * along - p.x * across)


def _cross_each_other(a: _Plane, b: _Plane, c: _Plane, d: _Plane) -> Any:
    """Whether the segments from a to b and from c to d meet."""
    first, second, between = b.minus(a), d.minus(c), a.minus(c)
    determinant = first.cross(second)
    parallel = abs(determinant) < _TINY
    scale = 1.0 / where(parallel, 1.0, determinant)
    s, t = second.cross(between) * scale, first.cross(between) * scale
    return logical_not(parallel) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)


def _inside(a: _Plane, b: _Plane, radius: Scalar) -> _Arc:
    """The point of the circle at which the way from a to b over it is shortest.

    With the angle s from a towards b, both distances are convex functions of s as long as the point can be
    seen from a and from b, which it can if the straight way does not cut the circle.
    """
    la, lb = _length(a), _length(b)
    turn = a.cross(b)
    whole = atan2(abs(turn), a.dot(b))
    reach_a, reach_b = (acos(minimum(radius / maximum(l, _TINY), 1.0 - 1e-12)) for l in (la, lb))
    low, high = maximum(whole - reach_b, 0.0), minimum(whole, reach_a)
    s = 0.5 * (low + high)
    for _ in range(_ROUNDS):
        (fa, ga), (fb, gb) = _slopes(la, radius, s), _slopes(lb, radius, whole - s)
        s = clip(s - (fa - fb) / maximum(ga + gb, _TINY), low, high)
    c, w = cos(s), where(turn > 0.0, sin(s), -sin(s))
    scale = radius / maximum(la, _TINY)
    point = _Plane(scale * (c * a.x - w * a.y), scale * (w * a.x + c * a.y))
    near = _nearest(a, b)
    outside = (la >= radius) & (lb >= radius)
    touches = outside & (near.dot(near) > radius * radius) & (whole < math.pi - 1e-7)
    return _Arc(touches, point, point, 0.0 * la)


def _slopes(distance: Scalar, radius: Scalar, s: Scalar) -> tuple[Scalar, Scalar]:
    """First and second derivative by the angle s of the way from a point to one of the circle."""
    area = distance * radius
    length = sqrt(maximum(distance * distance + radius * radius - 2.0 * area * cos(s), _TINY))
    first = area * sin(s) / length
    return first, (area * cos(s) - first * first) / length


def _nearest(a: _Plane, b: _Plane) -> _Plane:
    """The point of the segment from a to b that is nearest to the centre."""
    way = b.minus(a)
    share = clip(-a.dot(way) / maximum(way.dot(way), _TINY), 0.0, 1.0)
    return _Plane(a.x + share * way.x, a.y + share * way.y)


def _length(p: _Plane) -> Scalar:
    return sqrt(maximum(p.dot(p), _TINY * _TINY))


def _norm(p: Vec3) -> Scalar:
    return sqrt(maximum(p.dot(p), _TINY * _TINY))
