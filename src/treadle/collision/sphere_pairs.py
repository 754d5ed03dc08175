"""A sphere against spheres, capsules, boxes and cylinders: one point, in closed form."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import put
from treadle.collision.kinds import SIZE
from treadle.collision.pairs import pair
from treadle.collision.vectors import along, axis, local, minus, norm, position, scaled, turned, unit, world
from treadle.native.pieces import helper

__all__ = ["sphere_box", "sphere_capsule", "sphere_cylinder", "sphere_sphere"]

#: The normal of two spheres with one centre, which have none.
_UP = (0.0, 0.0, 1.0)


@helper
def _clip(x, half):
    return min(max(x, -half), half)


@helper
def _round(p, r, q, s, otherwise, margin, desk):
    """The point between a ball of radius r around p and one of radius s around q."""
    gap = minus(q, p)
    length = norm(gap)
    distance = length - r - s
    if distance <= margin:
        n = unit(gap, otherwise)
        put(desk, 0, along(p, r, n), n, distance)


@pair()
def sphere_sphere(a, b, margin, desk):
    """Along the line of the centres."""
    _round(position(a), a[SIZE], position(b), b[SIZE], _UP, margin, desk)


@pair()
def sphere_capsule(a, b, margin, desk):
    """Towards the nearest point of the capsule's axis: at right angles to it, however near that is."""
    p = local(b, position(a))
    gap = (-p[0], -p[1], _clip(p[2], b[SIZE + 1]) - p[2])
    distance = norm(gap) - a[SIZE] - b[SIZE]
    if distance <= margin:
        n = turned(b, unit(gap, (1.0, 0.0, 0.0)))
        put(desk, 0, along(position(a), a[SIZE], n), n, distance)


@pair()
def sphere_box(a, b, margin, desk):
    """Towards the nearest point of the box; from inside, out through the nearest face."""
    p = local(b, position(a))
    q = (_clip(p[0], b[SIZE]), _clip(p[1], b[SIZE + 1]), _clip(p[2], b[SIZE + 2]))
    if q[0] != p[0] or q[1] != p[1] or q[2] != p[2]:
        _round(position(a), a[SIZE], world(b, q), 0.0, _UP, margin, desk)
        return
    k = 0
    if b[SIZE + 1] - abs(p[1]) < b[SIZE] - abs(p[0]):
        k = 1
    if b[SIZE + 2] - abs(p[2]) < b[SIZE + k] - abs(p[k]):
        k = 2
    # the normal from the sphere to the box points inward
    n = scaled(axis(b, k), -1.0 if p[k] >= 0.0 else 1.0)
    distance = abs(p[k]) - b[SIZE + k] - a[SIZE]
    put(desk, 0, along(position(a), a[SIZE], n), n, distance)


@pair()
def sphere_cylinder(a, b, margin, desk):
    """Towards the nearest point of cap, rim or side; from inside, out through the nearer of cap and side."""
    p = local(b, position(a))
    radial = sqrt(p[0] * p[0] + p[1] * p[1])
    r, half = b[SIZE], b[SIZE + 1]
    if radial > r or abs(p[2]) > half:
        s = min(1.0, r / radial) if radial > 0.0 else 1.0
        q = (p[0] * s, p[1] * s, _clip(p[2], half))
        _round(position(a), a[SIZE], world(b, q), 0.0, _UP, margin, desk)
        return
    if half - abs(p[2]) < r - radial:
        n = scaled(axis(b, 2), -1.0 if p[2] >= 0.0 else 1.0)
        distance = abs(p[2]) - half - a[SIZE]
    else:
        outward = (p[0] / radial, p[1] / radial, 0.0) if radial > 0.0 else (1.0, 0.0, 0.0)
        n = scaled(minus(world(b, outward), position(b)), -1.0)
        distance = radial - r - a[SIZE]
    put(desk, 0, along(position(a), a[SIZE], n), n, distance)
