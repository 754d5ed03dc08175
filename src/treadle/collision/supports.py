"""Support points of convex shapes, without the ball that rounds a sphere or a capsule."""

from __future__ import annotations

from math import copysign, sqrt

from treadle.collision.blocks import CELLS
from treadle.collision.kinds import BLOCK, BOX, CAPSULE, CYLINDER, ELLIPSOID, KIND, SIZE, SPHERE
from treadle.collision.vectors import along, axes_of, axis, corner, dot, position, world
from treadle.native.calling import reals
from treadle.native.pieces import helper

__all__ = ["core_support", "direction_cell", "hull_support", "inner_ball", "is_curved", "rounding", "support"]


@helper
def support(a, d):
    """The support point along d of the core of a shape: the point, segment or solid inside its rounding."""
    kind = a[KIND]
    if kind == SPHERE:
        return position(a)
    if kind == CAPSULE:
        u = axis(a, 2)
        return along(position(a), copysign(a[SIZE + 1], dot(d, u)), u)
    e = axes_of(a, d)
    if kind == BOX:
        return world(a, (copysign(a[SIZE], e[0]), copysign(a[SIZE + 1], e[1]), copysign(a[SIZE + 2], e[2])))
    if kind == CYLINDER:
        flat = sqrt(e[0] * e[0] + e[1] * e[1])
        r = a[SIZE] / flat if flat > 0.0 else 0.0
        return world(a, (r * e[0], r * e[1], copysign(a[SIZE + 1], e[2])))
    if kind == ELLIPSOID:
        f = (a[SIZE] * e[0], a[SIZE + 1] * e[1], a[SIZE + 2] * e[2])
        length = sqrt(dot(f, f))
        s = 1.0 / length if length > 0.0 else 0.0
        return world(a, (s * a[SIZE] * f[0], s * a[SIZE + 1] * f[1], s * a[SIZE + 2] * f[2]))
    block = reals(int(a[BLOCK]))
    return world(a, corner(block, 1 + hull_support(block, e)))


@helper
def direction_cell(e):
    """The number of the cell that a direction lies in, see `blocks.direction_cells`."""
    k = 0 if abs(e[0]) >= abs(e[1]) and abs(e[0]) >= abs(e[2]) else (1 if abs(e[1]) >= abs(e[2]) else 2)
    x, y, z = (e[0], e[1], e[2]) if k == 0 else ((e[1], e[2], e[0]) if k == 1 else (e[2], e[0], e[1]))
    scale = 0.5 * CELLS / abs(x) if abs(x) > 0.0 else 0.0
    i, j = int(scale * (abs(x) + y)), int(scale * (abs(x) + z))
    return ((2 * k + (1 if x < 0.0 else 0)) * CELLS + min(i, CELLS - 1)) * CELLS + min(j, CELLS - 1)


@helper
def _highest(block, e):
    """The number of the corner that is highest along e, of all."""
    best, most = 0, dot(e, corner(block, 1))
    for i in range(1, int(block[0])):
        height = dot(e, corner(block, i + 1))
        if height > most:
            best, most = i, height
    return best


@helper
def hull_support(block, e):
    """The number of the corner of a hull that is highest along e.

    From the one of the cell of e uphill along edges: a corner with no higher neighbour is the highest.
    """
    places = int(block[2]) - 2
    rings, cells = int(block[places]), int(block[places + 1])
    if rings == 0:
        return _highest(block, e)
    best = int(block[cells + 3 * direction_cell(e)])
    most, climbing = dot(e, corner(block, 1 + best)), True
    while climbing:
        climbing = False
        for k in range(rings + int(block[rings + best]), rings + int(block[rings + best + 1])):
            i = int(block[k])
            height = dot(e, corner(block, 1 + i))
            if height > most:
                best, most, climbing = i, height, True
                break
    return best


@helper
def rounding(a):
    """Radius of the rounding ball: that of a sphere or a capsule, else 0."""
    return a[SIZE] if a[KIND] == SPHERE or a[KIND] == CAPSULE else 0.0


@helper
def inner_ball(a):
    """Radius of a ball that, with a convex core, has the shape as its sum.

    It is the rounding, or of an ellipsoid the least radius of its curvature.
    """
    if a[KIND] == ELLIPSOID:
        x, y, z = a[SIZE], a[SIZE + 1], a[SIZE + 2]
        least = min(x, y, z)
        return least * least / max(x, y, z)
    return rounding(a)


@helper
def core_support(a, n):
    """The support point along the unit vector n of what is left of a shape without its inner ball."""
    p = support(a, n)
    if a[KIND] == ELLIPSOID:
        return along(p, -inner_ball(a), n)
    return p


@helper
def is_curved(a):
    """Whether a shape is curved even without its rounding ball: it has no end of support points."""
    return a[KIND] == CYLINDER or a[KIND] == ELLIPSOID
