"""Support points of convex shapes, without the ball that rounds a sphere or a capsule."""

from __future__ import annotations

from math import copysign, sqrt

from treadle.collision.kinds import BLOCK, BOX, CAPSULE, CYLINDER, ELLIPSOID, KIND, SIZE, SPHERE
from treadle.collision.vectors import along, axes_of, axis, corner, dot, position, world
from treadle.native.calling import reals
from treadle.native.pieces import helper

__all__ = ["rounding", "support"]


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
    best, most = 1, dot(e, corner(block, 1))
    for i in range(2, int(block[0]) + 1):
        height = dot(e, corner(block, i))
        if height > most:
            best, most = i, height
    return world(a, corner(block, best))


@helper
def rounding(a):
    """Radius of the rounding ball: that of a sphere or a capsule, else 0."""
    return a[SIZE] if a[KIND] == SPHERE or a[KIND] == CAPSULE else 0.0
