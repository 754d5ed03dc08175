"""A plane against everything: the plane is shape A, its z axis the normal."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import CONTACTS, put
from treadle.collision.vectors import along, axis, cross, dot, minus, plus, position, scaled, unit
from treadle.native.signatures import INT, MATRIX, REAL, VECTOR, kernel

__all__ = ["plane_box", "plane_capsule", "plane_cylinder", "plane_ellipsoid", "plane_sphere"]

#: A cylinder whose cap is tilted by less than this (rad) stands on four points that are fixed to it.
_UPRIGHT = 1e-6


@kernel((MATRIX, INT, VECTOR, VECTOR, REAL, INT, CONTACTS))
def _point(X, a, n, on_b, margin, feature, out):
    """A point of shape B, if it comes within the margin of the plane."""
    distance = dot(n, minus(on_b, position(X, a)))
    if distance <= margin:
        put(out, feature, along(on_b, -distance, n), n, distance)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def plane_sphere(X, S, a, b, margin, out):
    """One point."""
    n = axis(X, a, 2)
    _point(X, a, n, along(position(X, b), -S[b, 0], n), margin, 0, out)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def plane_capsule(X, S, a, b, margin, out):
    """Two points, below the ends of the straight part."""
    n = axis(X, a, 2)
    middle = along(position(X, b), -S[b, 0], n)
    half = scaled(axis(X, b, 2), S[b, 1])
    _point(X, a, n, minus(middle, half), margin, 0, out)
    _point(X, a, n, plus(middle, half), margin, 1, out)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def plane_box(X, S, a, b, margin, out):
    """The four corners of the lowest face, as far as they are within the margin."""
    n = axis(X, a, 2)
    k = 0
    steepest = 0.0
    for j in range(3):
        slope = abs(dot(n, axis(X, b, j)))
        # a lead that rounding cannot reverse, so that a cube keeps its face
        if slope > steepest + 1e-12:
            k, steepest = j, slope
    u, v, w = axis(X, b, k), axis(X, b, (k + 1) % 3), axis(X, b, (k + 2) % 3)
    sign = -1.0 if dot(n, u) > 0.0 else 1.0
    face = along(position(X, b), sign * S[b, k], u)
    v, w = scaled(v, S[b, (k + 1) % 3]), scaled(w, S[b, (k + 2) % 3])
    first = 8 * k + (0 if sign > 0.0 else 4)
    _point(X, a, n, minus(minus(face, v), w), margin, first, out)
    _point(X, a, n, minus(plus(face, v), w), margin, first + 1, out)
    _point(X, a, n, plus(plus(face, v), w), margin, first + 2, out)
    _point(X, a, n, plus(minus(face, v), w), margin, first + 3, out)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def plane_cylinder(X, S, a, b, margin, out):
    """The lowest point of the lower rim and the three a quarter turn apart, and the other rim's lowest.

    An upright cylinder thus stands on four points, a lying one on two.
    """
    n = axis(X, a, 2)
    u = axis(X, b, 2)
    slope = dot(n, u)
    end = -1.0 if slope > 0.0 else 1.0
    low = along(position(X, b), end * S[b, 1], u)
    down = along(scaled(n, -1.0), slope, u)
    tilt = sqrt(dot(down, down))
    if tilt < _UPRIGHT:
        down = axis(X, b, 0)
    else:
        down = unit(down, n)
    side = cross(u, down)
    first = 0 if end > 0.0 else 8
    r = S[b, 0]
    _point(X, a, n, along(low, r, down), margin, first, out)
    _point(X, a, n, along(low, r, side), margin, first + 1, out)
    _point(X, a, n, along(low, -r, down), margin, first + 2, out)
    _point(X, a, n, along(low, -r, side), margin, first + 3, out)
    if tilt >= _UPRIGHT:
        high = along(low, -2.0 * end * S[b, 1], u)
        _point(X, a, n, along(high, r, down), margin, 8 - first, out)


@kernel((MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def plane_ellipsoid(X, S, a, b, margin, out):
    """One point, where the ellipsoid's normal is against the plane's."""
    n = axis(X, a, 2)
    lowest = position(X, b)
    total = 0.0
    for j in range(3):
        total += (S[b, j] * dot(n, axis(X, b, j))) ** 2
    if total > 0.0:
        for j in range(3):
            u = axis(X, b, j)
            lowest = along(lowest, -(S[b, j] ** 2) * dot(n, u) / sqrt(total), u)
    _point(X, a, n, lowest, margin, 0, out)
