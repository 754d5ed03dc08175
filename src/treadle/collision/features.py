"""The foremost feature of a shape in a direction: the face, edge or point with which it touches."""

from __future__ import annotations

from math import sqrt

from treadle.collision.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID
from treadle.collision.vectors import along, axis, cross, dot, minus, plus, position, scaled, store, unit
from treadle.native.signatures import INT, MATRIX, REAL, VECTOR, kernel

__all__ = ["edge", "face"]

#: A cap that is tilted by less than this (rad) touches with points that are fixed to the cylinder.
_UPRIGHT = 1e-6
#: Corners of a cap, as a share of its radius along its two axes.
_EIGHTH = sqrt(0.5)
_CORNERS = (
    (1.0, 0.0), (_EIGHTH, _EIGHTH), (0.0, 1.0), (-_EIGHTH, _EIGHTH),
    (-1.0, 0.0), (-_EIGHTH, -_EIGHTH), (0.0, -1.0), (_EIGHTH, -_EIGHTH),
)  # fmt: skip


@kernel((INT, MATRIX, MATRIX, INT, VECTOR, INT, MATRIX))
def face(kind, X, S, a, n, corners, P):
    """Write the polygon with which the shape faces n; its number of points, its number, and its normal . n.

    A box gives a face, a cylinder a cap (its rim at four or eight `corners`) or the foremost line of its
    side, a capsule a line, all others a point (and then nothing is written). A line has 0 for its normal.
    """
    if kind == BOX:
        k, steepest = 0, -1.0
        for j in range(3):
            slope = abs(dot(n, axis(X, a, j)))
            if slope > steepest + 1e-12:
                k, steepest = j, slope
        u = axis(X, a, k)
        sign = 1.0 if dot(n, u) > 0.0 else -1.0
        center = along(position(X, a), sign * S[a, k], u)
        v = scaled(axis(X, a, (k + 1) % 3), S[a, (k + 1) % 3])
        w = scaled(axis(X, a, (k + 2) % 3), S[a, (k + 2) % 3])
        store(P, 0, minus(minus(center, v), w))
        store(P, 1, minus(plus(center, v), w))
        store(P, 2, plus(plus(center, v), w))
        store(P, 3, plus(minus(center, v), w))
        return 4, 2 * k + (1 if sign > 0.0 else 0), steepest
    if kind == CAPSULE:
        center = along(position(X, a), S[a, 0], n)
        half = scaled(axis(X, a, 2), S[a, 1])
        store(P, 0, minus(center, half))
        store(P, 1, plus(center, half))
        return 2, 0, 0.0
    if kind == CYLINDER:
        u = axis(X, a, 2)
        slope = dot(n, u)
        down = along(n, -slope, u)
        tilt = sqrt(dot(down, down))
        down = axis(X, a, 0) if tilt < _UPRIGHT else unit(down, n)
        if abs(slope) > _EIGHTH:
            sign = 1.0 if slope > 0.0 else -1.0
            center = along(position(X, a), sign * S[a, 1], u)
            down, side = scaled(down, S[a, 0]), scaled(cross(u, down), S[a, 0])
            for i in range(corners):
                x, y = _CORNERS[i * (8 // corners)]
                store(P, i, plus(center, plus(scaled(down, x), scaled(side, y))))
            return corners, 1 if sign > 0.0 else 0, abs(slope)
        center = along(position(X, a), S[a, 0], down)
        half = scaled(u, S[a, 1])
        store(P, 0, minus(center, half))
        store(P, 1, plus(center, half))
        return 2, 2, 0.0
    return 1, 0, 0.0


@kernel((INT, MATRIX, MATRIX, INT, VECTOR, REAL))
def edge(kind, X, S, a, n, tolerance):
    """The ends of the foremost edge, one and the same point where that is a vertex or a curved surface.

    An edge is foremost if its angle to the plane at right angles to n is below `tolerance` (rad).
    """
    p = position(X, a)
    if kind == BOX:
        half = (0.0, 0.0, 0.0)
        flat = 0
        for j in range(3):
            u = axis(X, a, j)
            slope = dot(n, u)
            if abs(slope) > tolerance:
                p = along(p, S[a, j] if slope > 0.0 else -S[a, j], u)
            elif flat == 0:
                half = scaled(u, S[a, j])
                flat = 1
        return minus(p, half), plus(p, half)
    if kind == ELLIPSOID:
        total = 0.0
        for j in range(3):
            total += (S[a, j] * dot(n, axis(X, a, j))) ** 2
        if total > 0.0:
            for j in range(3):
                u = axis(X, a, j)
                p = along(p, S[a, j] ** 2 * dot(n, u) / sqrt(total), u)
        return p, p
    if kind in (CAPSULE, CYLINDER):
        u = axis(X, a, 2)
        slope = dot(n, u)
        if kind == CAPSULE:
            p = along(p, S[a, 0], n)
        else:
            outward = along(n, -slope, u)
            # a cap that is met squarely has no foremost point of its rim: take its centre
            if sqrt(dot(outward, outward)) > 1e-9:
                p = along(p, S[a, 0], unit(outward, n))
        half = scaled(u, S[a, 1])
        if abs(slope) > tolerance:
            p = plus(p, scaled(half, 1.0 if slope > 0.0 else -1.0))
            return p, p
        return minus(p, half), plus(p, half)
    p = along(p, S[a, 0], n)
    return p, p
