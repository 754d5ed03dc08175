"""A sphere against spheres, capsules, boxes and cylinders: one point, in closed form."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import CONTACTS, put
from treadle.collision.vectors import along, axis, dot, local, minus, norm, position, scaled, unit, world
from treadle.native.signatures import INT, MATRIX, REAL, VECTOR, kernel

__all__ = ["sphere_box", "sphere_capsule", "sphere_cylinder", "sphere_sphere"]

#: The normal of two spheres with one centre, which have none.
_UP = (0.0, 0.0, 1.0)


@kernel()
def _clip(x, half):
    return min(max(x, -half), half)


@kernel((VECTOR, REAL, VECTOR, REAL, VECTOR, REAL, CONTACTS))
def _round(p, r, q, s, otherwise, margin, out):
    """The point between a ball of radius r around p and one of radius s around q."""
    gap = minus(q, p)
    length = norm(gap)
    distance = length - r - s
    if distance <= margin:
        n = unit(gap, otherwise)
        put(out, 0, along(p, r, n), n, distance)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def sphere_sphere(X, S, a, b, margin, out):
    """Along the line of the centres."""
    _round(position(X, a), S[a, 0], position(X, b), S[b, 0], _UP, margin, out)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def sphere_capsule(X, S, a, b, margin, out):
    """Towards the nearest point of the capsule's axis."""
    u = axis(X, b, 2)
    center = position(X, b)
    p = position(X, a)
    t = min(max(dot(minus(p, center), u), -S[b, 1]), S[b, 1])
    _round(p, S[a, 0], along(center, t, u), S[b, 0], axis(X, b, 0), margin, out)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def sphere_box(X, S, a, b, margin, out):
    """Towards the nearest point of the box; from inside, out through the nearest face."""
    p = local(X, b, position(X, a))
    q = (_clip(p[0], S[b, 0]), _clip(p[1], S[b, 1]), _clip(p[2], S[b, 2]))
    if q[0] != p[0] or q[1] != p[1] or q[2] != p[2]:
        _round(position(X, a), S[a, 0], world(X, b, q), 0.0, _UP, margin, out)
        return
    k = 0
    if S[b, 1] - abs(p[1]) < S[b, 0] - abs(p[0]):
        k = 1
    if S[b, 2] - abs(p[2]) < S[b, k] - abs(p[k]):
        k = 2
    # the normal from the sphere to the box points inward
    n = scaled(axis(X, b, k), -1.0 if p[k] >= 0.0 else 1.0)
    distance = abs(p[k]) - S[b, k] - S[a, 0]
    put(out, 0, along(position(X, a), S[a, 0], n), n, distance)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def sphere_cylinder(X, S, a, b, margin, out):
    """Towards the nearest point of cap, rim or side; from inside, out through the nearer of cap and side."""
    p = local(X, b, position(X, a))
    radial = sqrt(p[0] * p[0] + p[1] * p[1])
    r, half = S[b, 0], S[b, 1]
    if radial > r or abs(p[2]) > half:
        s = min(1.0, r / radial) if radial > 0.0 else 1.0
        q = (p[0] * s, p[1] * s, _clip(p[2], half))
        _round(position(X, a), S[a, 0], world(X, b, q), 0.0, _UP, margin, out)
        return
    if half - abs(p[2]) < r - radial:
        n = scaled(axis(X, b, 2), -1.0 if p[2] >= 0.0 else 1.0)
        distance = abs(p[2]) - half - S[a, 0]
    else:
        outward = (p[0] / radial, p[1] / radial, 0.0) if radial > 0.0 else (1.0, 0.0, 0.0)
        n = scaled(minus(world(X, b, outward), position(X, b)), -1.0)
        distance = radial - r - S[a, 0]
    put(out, 0, along(position(X, a), S[a, 0], n), n, distance)
