"""The support feature of a shape in a direction: the face, edge or point that touches first."""

from __future__ import annotations

from math import sqrt

from treadle.collision.blocks import CELLS
from treadle.collision.kinds import BLOCK, BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, KIND, SIZE
from treadle.collision.supports import direction_cell, hull_support
from treadle.collision.vectors import (
    along,
    axes_of,
    axis,
    corner,
    cross,
    dot,
    minus,
    norm,
    plus,
    position,
    scaled,
    store,
    turned,
    unit,
    world,
)
from treadle.native.calling import reals
from treadle.native.pieces import helper

__all__ = ["edge", "face"]

#: A cap that is tilted by less than this (rad) touches with points that are fixed to the cylinder.
_UPRIGHT = 1e-6
#: Corners of a cap, as a share of its radius along its two axes.
_EIGHTH = sqrt(0.5)
_CORNERS = (
    (1.0, 0.0), (_EIGHTH, _EIGHTH), (0.0, 1.0), (-_EIGHTH, _EIGHTH),
    (-1.0, 0.0), (-_EIGHTH, -_EIGHTH), (0.0, -1.0), (_EIGHTH, -_EIGHTH),
)  # fmt: skip


@helper
def face(a, n, corners, P):
    """Write the polygon with which the shape faces n; its number of points, its number, and its normal . n.

    A box or a hull gives a face, a cylinder a cap (its rim at four or eight `corners`) or the support line
    of its side, a capsule a line, all others a point (and then nothing is written). A line has 0 for its
    normal.
    """
    kind = a[KIND]
    if kind == BOX:
        return _box_face(a, n, P)
    if kind == HULL:
        return _hull_face(a, n, P)
    if kind == CAPSULE:
        center = along(position(a), a[SIZE], n)
        half = scaled(axis(a, 2), a[SIZE + 1])
        store(P, 0, minus(center, half))
        store(P, 1, plus(center, half))
        return 2, 0, 0.0
    if kind == CYLINDER:
        return _cylinder_face(a, n, corners, P)
    return 1, 0, 0.0


@helper
def _box_face(a, n, P):
    k, steepest = 0, -1.0
    for j in range(3):
        slope = abs(dot(n, axis(a, j)))
        if slope > steepest + 1e-12:
            k, steepest = j, slope
    u = axis(a, k)
    sign = 1.0 if dot(n, u) > 0.0 else -1.0
    center = along(position(a), sign * a[SIZE + k], u)
    i, j = (k + 1) % 3, (k + 2) % 3
    v, w = scaled(axis(a, i), a[SIZE + i]), scaled(axis(a, j), a[SIZE + j])
    for c in range(4):
        x, y = 1.0 if 0 < c < 3 else -1.0, 1.0 if c > 1 else -1.0
        store(P, c, along(along(center, x, v), y, w))
    return 4, 2 * k + (1 if sign > 0.0 else 0), steepest


@helper
def _hull_face(a, n, P):
    block, e = reals(int(a[BLOCK])), axes_of(a, n)
    first = int(block[2])
    cells = int(block[first - 1])
    # all faces of a small hull, or those that are near the direction
    start, stop = 0, int(block[1])
    if cells > 0:
        cell, listed = cells + 3 * direction_cell(e), cells + 18 * CELLS * CELLS
        start, stop = listed + int(block[cell + 1]), listed + int(block[cell + 2])
    k, steepest = 0, -2.0
    for place in range(start, stop):
        i = int(block[place]) if cells > 0 else place
        j = first + 5 * i
        slope = e[0] * block[j] + e[1] * block[j + 1] + e[2] * block[j + 2]
        if slope > steepest + 1e-12:
            k, steepest = i, slope
    start, count = int(block[first + 5 * k + 3]), int(block[first + 5 * k + 4])
    for c in range(count):
        store(P, c, world(a, corner(block, int(block[start + c]) + 1)))
    return count, k, steepest


@helper
def _cylinder_face(a, n, corners, P):
    u = axis(a, 2)
    x, y, slope = axes_of(a, n)
    tilt = sqrt(x * x + y * y)
    down = axis(a, 0) if tilt < _UPRIGHT else turned(a, (x / tilt, y / tilt, 0.0))
    if abs(slope) > _EIGHTH:
        sign = 1.0 if slope > 0.0 else -1.0
        center = along(position(a), sign * a[SIZE + 1], u)
        down, side = scaled(down, a[SIZE]), scaled(cross(u, down), a[SIZE])
        for i in range(corners):
            x, y = _CORNERS[i * (8 // corners)]
            store(P, i, along(along(center, x, down), y, side))
        return corners, 1 if sign > 0.0 else 0, abs(slope)
    center = along(position(a), a[SIZE], down)
    half = scaled(u, a[SIZE + 1])
    store(P, 0, minus(center, half))
    store(P, 1, plus(center, half))
    return 2, 2, 0.0


@helper
def edge(a, n, tolerance):
    """The ends of the support edge, one and the same point where that is a vertex or a curved surface.

    An edge supports the shape if its angle to the plane at right angles to n is below `tolerance` (rad).
    """
    p = position(a)
    kind = a[KIND]
    if kind == BOX:
        half = (0.0, 0.0, 0.0)
        flat = 0
        for j in range(3):
            u = axis(a, j)
            slope = dot(n, u)
            if abs(slope) > tolerance:
                p = along(p, a[SIZE + j] if slope > 0.0 else -a[SIZE + j], u)
            elif flat == 0:
                half = scaled(u, a[SIZE + j])
                flat = 1
        return minus(p, half), plus(p, half)
    if kind == HULL:
        return _hull_edge(a, n, tolerance)
    if kind == ELLIPSOID:
        total = 0.0
        for j in range(3):
            total += (a[SIZE + j] * dot(n, axis(a, j))) ** 2
        if total > 0.0:
            for j in range(3):
                u = axis(a, j)
                p = along(p, a[SIZE + j] ** 2 * dot(n, u) / sqrt(total), u)
        return p, p
    if kind == CAPSULE or kind == CYLINDER:  # noqa: PLR1714, SIM109
        u = axis(a, 2)
        slope = dot(n, u)
        if kind == CAPSULE:
            p = along(p, a[SIZE], n)
        else:
            outward = along(n, -slope, u)
            # along the axis of a cap every point of its rim supports: take its centre
            if sqrt(dot(outward, outward)) > 1e-9:
                p = along(p, a[SIZE], unit(outward, n))
        half = scaled(u, a[SIZE + 1])
        if abs(slope) > tolerance:
            p = along(p, 1.0 if slope > 0.0 else -1.0, half)
            return p, p
        return minus(p, half), plus(p, half)
    p = along(p, a[SIZE], n)
    return p, p


@helper
def _hull_edge(a, n, tolerance):
    """From the support corner to the farthest of those that are level with it."""
    block, e = reals(int(a[BLOCK])), axes_of(a, n)
    rings = int(block[int(block[2]) - 2])
    end = hull_support(block, e)
    p = corner(block, 1 + end)
    best, r, longest = dot(e, p), p, 0.0
    if rings == 0:
        for i in range(int(block[0])):
            q = corner(block, i + 1)
            length = norm(minus(q, p))
            if length > longest and best - dot(e, q) <= tolerance * length:
                r, longest = q, length
    walking = rings > 0
    while walking:
        # along edges away from the support corner
        walking, here = False, end
        for k in range(rings + int(block[rings + here]), rings + int(block[rings + here + 1])):
            i = int(block[k])
            q = corner(block, 1 + i)
            length = norm(minus(q, p))
            if length > longest and best - dot(e, q) <= tolerance * length:
                end, r, longest, walking = i, q, length, True
    return world(a, p), world(a, r)
