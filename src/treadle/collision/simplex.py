"""The point of a simplex of up to four points that is nearest to the origin (Ericson, 2005)."""

from __future__ import annotations

from treadle.collision.vectors import along, corner, cross, dot, minus, scaled, store
from treadle.native.pieces import helper

__all__ = ["nearest", "triangle_weights"]


@helper
def nearest(W, A, weights, count):
    """Keep the points of W, and with them A, that span the nearest point; their number and that point.

    `weights` are written: the nearest point is their sum with W. A number of 4 says that the origin is
    inside.
    """
    x = y = z = t = 0.0
    if count == 1:
        x = 1.0
    elif count == 2:
        p = corner(W, 0)
        u = minus(corner(W, 1), p)
        y = min(max(-dot(p, u) / dot(u, u), 0.0), 1.0)
        x = 1.0 - y
    elif count == 3:
        x, y, z = triangle_weights(corner(W, 0), corner(W, 1), corner(W, 2))
    else:
        best, outside = 1e300, False
        for k in range(4):
            # the face without corner k
            i, j, m = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
            p, q, r = corner(W, i), corner(W, j), corner(W, m)
            normal = cross(minus(q, p), minus(r, p))
            height, side = dot(normal, p), dot(normal, minus(corner(W, k), p))
            # the origin is beyond the face, or the four are flat
            if height * side >= 0.0 and not (height == 0.0 and side != 0.0):
                face = triangle_weights(p, q, r)
                point = along(along(scaled(p, face[0]), face[1], q), face[2], r)
                squared = dot(point, point)
                outside = True
                if squared < best:
                    best = squared
                    x, y, z, t = _placed(i, j, m, face)
        if not outside:
            return 4, (0.0, 0.0, 0.0)
    weights[0], weights[1], weights[2], weights[3] = x, y, z, t
    kept, point = 0, (0.0, 0.0, 0.0)
    for i in range(count):
        w = weights[i]
        if w > 0.0:
            point = along(point, w, corner(W, i))
            weights[kept] = w
            if kept < i:
                store(W, kept, corner(W, i))
                store(A, kept, corner(A, i))
            kept += 1
    return kept, point


@helper
def _placed(i, j, m, face):
    """Weights of the four corners from those of corners i, j and m."""
    x = face[0] if i == 0 else face[1] if j == 0 else face[2] if m == 0 else 0.0
    y = face[0] if i == 1 else face[1] if j == 1 else face[2] if m == 1 else 0.0
    z = face[0] if i == 2 else face[1] if j == 2 else face[2] if m == 2 else 0.0
    t = face[0] if i == 3 else face[1] if j == 3 else face[2] if m == 3 else 0.0
    return x, y, z, t


@helper
def triangle_weights(p, q, r):
    """Weights of the corners of a triangle whose sum is its point nearest to the origin."""
    u, v = minus(q, p), minus(r, p)
    d1, d2 = -dot(u, p), -dot(v, p)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -dot(u, q), -dot(v, q)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    d5, d6 = -dot(u, r), -dot(v, r)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    c = d1 * d4 - d3 * d2
    if c <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    b = d5 * d2 - d1 * d6
    if b <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    a = d3 * d6 - d5 * d4
    if a <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    s = 1.0 / (a + b + c)
    return a * s, b * s, c * s
