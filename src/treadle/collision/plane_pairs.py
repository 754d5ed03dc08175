"""A plane against everything: the plane is shape A, its z axis the normal."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import FEATURES, ROOM, TOTAL, put
from treadle.collision.kinds import BLOCK, HULL, KIND, REACH, SIZE
from treadle.collision.pairs import pair
from treadle.collision.supports import hull_support
from treadle.collision.vectors import (
    along,
    axes_of,
    axis,
    corner,
    cross,
    dot,
    local,
    minus,
    plus,
    position,
    scaled,
    turned,
    world,
)
from treadle.native.calling import integers, reals
from treadle.native.pieces import helper, room

__all__ = ["plane_box", "plane_capsule", "plane_corners", "plane_cylinder", "plane_ellipsoid", "plane_sphere"]

#: A cylinder whose cap is tilted by less than this (rad) stands on four points that are fixed to it.
_UPRIGHT = 3e-8
#: Corners of a mesh beyond which only one in each of so many directions, and the lowest, are taken.
_MOST = 8


@helper
def _point(a, n, on_b, margin, feature, desk):
    """A point of shape B, if it comes within the margin of the plane."""
    distance = dot(n, minus(on_b, position(a)))
    if distance <= margin:
        put(desk, feature, along(on_b, -distance, n), n, distance)


@pair()
def plane_sphere(a, b, margin, desk):
    """One point."""
    n = axis(a, 2)
    _point(a, n, along(position(b), -b[SIZE], n), margin, 0, desk)


@pair()
def plane_capsule(a, b, margin, desk):
    """Two points, below the ends of the straight part."""
    n = axis(a, 2)
    middle = along(position(b), -b[SIZE], n)
    half = scaled(axis(b, 2), b[SIZE + 1])
    _point(a, n, minus(middle, half), margin, 0, desk)
    _point(a, n, plus(middle, half), margin, 1, desk)


@pair()
def plane_box(a, b, margin, desk):
    """The four corners of the lowest face, as far as they are within the margin."""
    n = axis(a, 2)
    k = 0
    steepest = 0.0
    for j in range(3):
        slope = abs(dot(n, axis(b, j)))
        # a lead above rounding, so that a cube keeps its face
        if slope > steepest + 1e-12:
            k, steepest = j, slope
    i, j = (k + 1) % 3, (k + 2) % 3
    u, v, w = axis(b, k), scaled(axis(b, i), b[SIZE + i]), scaled(axis(b, j), b[SIZE + j])
    sign = -1.0 if dot(n, u) > 0.0 else 1.0
    face = along(position(b), sign * b[SIZE + k], u)
    first = 8 * k + (0 if sign > 0.0 else 4)
    for c in range(4):
        x, y = 1.0 if 0 < c < 3 else -1.0, 1.0 if c > 1 else -1.0
        _point(a, n, along(along(face, x, v), y, w), margin, first + c, desk)


@pair()
def plane_cylinder(a, b, margin, desk):
    """The lowest point of the lower rim and the three a quarter turn apart, and the other rim's lowest.

    An upright cylinder thus stands on four points, a lying one on two.
    """
    n = axis(a, 2)
    u = axis(b, 2)
    up = axes_of(b, n)
    end = -1.0 if up[2] > 0.0 else 1.0
    low = along(position(b), end * b[SIZE + 1], u)
    tilt = sqrt(up[0] * up[0] + up[1] * up[1])
    down = axis(b, 0) if tilt < _UPRIGHT else turned(b, (-up[0] / tilt, -up[1] / tilt, 0.0))
    side = cross(u, down)
    first = 0 if end > 0.0 else 8
    for c in range(4):
        # along down, side, -down, -side
        r = b[SIZE] if c < 2 else -b[SIZE]
        _point(a, n, along(low, r, down if c % 2 == 0 else side), margin, first + c, desk)
    if tilt >= _UPRIGHT:
        high = along(low, -2.0 * end * b[SIZE + 1], u)
        _point(a, n, along(high, b[SIZE], down), margin, 8 - first, desk)


@pair()
def plane_ellipsoid(a, b, margin, desk):
    """One point, where the ellipsoid's normal is against the plane's."""
    n = axis(a, 2)
    lowest = position(b)
    total = 0.0
    for j in range(3):
        total += (b[SIZE + j] * dot(n, axis(b, j))) ** 2
    if total > 0.0:
        for j in range(3):
            u = axis(b, j)
            lowest = along(lowest, -(b[SIZE + j] ** 2) * dot(n, u) / sqrt(total), u)
    _point(a, n, lowest, margin, 0, desk)


@pair()
def plane_corners(a, b, margin, desk):
    """The corners of a hull or a mesh near the plane; of more than eight those that it would tilt onto.

    In each of eight directions that is the corner which would be the lowest if the shape were tilted that way
    until its outermost corner near the plane had sunk by the height of all that is near it. On a flat face
    these are the outermost corners, on a round one those about the lowest.
    """
    n = axis(a, 2)
    if dot(n, minus(position(b), position(a))) - b[REACH] > margin:
        return
    # heights of corners are seen in the axes of the mesh
    up, block = axes_of(b, n), reals(int(b[BLOCK]))
    count = int(block[0])
    level = dot(up, local(b, position(a)))
    if b[KIND] == HULL:
        lowest = hull_support(block, scaled(up, -1.0))
        if dot(up, corner(block, lowest + 1)) - level > margin:
            return
    near, lowest, least, highest = 0, 0, 1e300, -1e300
    middle, few = (0.0, 0.0, 0.0), room(_MOST)
    for i in range(count):
        p = corner(block, i + 1)
        height = dot(up, p) - level
        if height <= margin:
            if near < _MOST:
                few[near] = i
            near += 1
            middle = plus(middle, p)
            highest = max(highest, height)
            if height < least:
                least, lowest = height, i
    if near <= _MOST:
        for k in range(near):
            i = int(few[k])
            _point(a, n, world(b, corner(block, i + 1)), margin, i, desk)
        return
    x, y = axes_of(b, axis(a, 0)), axes_of(b, axis(a, 1))
    _tilt_all(block, (x, y, up), level, margin, scaled(middle, 1.0 / near), highest - least, few)
    start = desk[TOTAL]
    for k in range(_MOST + 1):
        best = lowest if k == _MOST else int(few[k])
        # neighbouring directions may share a corner
        twin = False
        for i in range(start, min(desk[TOTAL], desk[ROOM])):
            twin = twin or integers(desk[FEATURES])[i] == best
        if not twin:
            _point(a, n, world(b, corner(block, best + 1)), margin, best, desk)


@helper
def _tilt_all(block, axes, level, margin, middle, band, found):
    """For each of eight directions the corner near the plane that is the lowest after a tilt towards it.

    The shape is tilted about the middle of the corners near the plane; all directions share two passes.
    """
    count = int(block[0])
    x, y, up = axes
    reach, slope, most, along_x, along_y = room(_MOST), room(_MOST), room(_MOST), room(_MOST), room(_MOST)
    c, s, eighth = 1.0, 0.0, sqrt(0.5)
    for k in range(_MOST):
        along_x[k], along_y[k], reach[k], most[k], found[k] = c, s, 0.0, -1e300, 0.0
        c, s = eighth * (c - s), eighth * (c + s)
    for i in range(count):
        p = corner(block, i + 1)
        if dot(up, p) - level <= margin:
            arm = minus(p, middle)
            u, v = dot(x, arm), dot(y, arm)
            for k in range(_MOST):
                reach[k] = max(reach[k], along_x[k] * u + along_y[k] * v)
    for k in range(_MOST):
        # a flat face is tilted by a hair, so that its outermost corner counts
        slope[k] = max(band, 1e-6 * reach[k]) / reach[k] if reach[k] > 0.0 else 0.0
    for i in range(count):
        p = corner(block, i + 1)
        height = dot(up, p) - level
        if height <= margin:
            arm = minus(p, middle)
            u, v = dot(x, arm), dot(y, arm)
            for k in range(_MOST):
                sunk = slope[k] * (along_x[k] * u + along_y[k] * v) - height
                if sunk > most[k] + 1e-12:
                    most[k], found[k] = sunk, i
