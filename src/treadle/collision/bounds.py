"""Poses of shapes, and their axis-aligned bounding boxes (AABB)."""

from __future__ import annotations

from math import sqrt

from treadle.collision.kinds import CAPSULE, CYLINDER, ELLIPSOID, KIND, PLANE, SIZE, SPHERE
from treadle.native.formulas import formula
from treadle.native.pieces import helper, room

__all__ = ["boxes_apart", "compose", "enclose", "extent"]


@formula
def compose(B, b, P, p, X, x):
    """Write the pose of a shape in the world at x of X, from its body's at b of B and its own at p of P."""
    # all is read before anything is written: what is written might be what is read
    R, T = [B[b + k] for k in range(12)], [P[p + k] for k in range(12)]
    for i in range(3):
        u, v, w = R[3 * i], R[3 * i + 1], R[3 * i + 2]
        for j in range(3):
            X[x + (3 * i + j)] = u * T[j] + v * T[3 + j] + w * T[6 + j]
        X[x + (9 + i)] = u * T[9] + v * T[10] + w * T[11] + R[9 + i]


@helper
def enclose(a, margin, boxes, place):
    """Write the bounding box (6) of a shape enlarged by its margin: lowest, then highest coordinates.

    Two boxes overlap if the shapes come within their margins of each other; that of a plane is infinite.
    Returns a number that is finite if the pose is.
    """
    for i in range(3):
        half = extent(a, i)
        # enlarged by rounding, so that no pair at the margin is missed
        half += margin + 1e-12 * (half + abs(a[9 + i]))
        boxes[place + i], boxes[place + 3 + i] = a[9 + i] - half, a[9 + i] + half
    turned = (a[0] + a[1] + a[2]) + (a[3] + a[4] + a[5]) + (a[6] + a[7] + a[8])
    return turned + (a[9] + a[10] + a[11])


@helper
def boxes_apart(a, b, margin):
    """Whether a face of the box around the one of two convex shapes, in its own axes, separates them.

    By more than the margin; where only edges of the boxes would, it says no.
    """
    p, q = _half_sizes(a), _half_sizes(b)
    w = (b[9] - a[9], b[10] - a[10], b[11] - a[11])
    # axes of the first by those of the second
    R = room(9)
    for i in range(3):
        for j in range(3):
            R[3 * i + j] = abs(a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j])
    for i in range(3):
        apart = abs(w[0] * a[i] + w[1] * a[3 + i] + w[2] * a[6 + i])
        if apart > p[i] + R[3 * i] * q[0] + R[3 * i + 1] * q[1] + R[3 * i + 2] * q[2] + margin:
            return True
        apart = abs(w[0] * b[i] + w[1] * b[3 + i] + w[2] * b[6 + i])
        if apart > q[i] + R[i] * p[0] + R[3 + i] * p[1] + R[6 + i] * p[2] + margin:
            return True
    return False


@helper
def _half_sizes(a):
    """Half lengths of the box around a convex shape in its own axes, enlarged by rounding."""
    kind, r, s = a[KIND], a[SIZE], 1.0 + 1e-12
    if kind == SPHERE:
        return s * r, s * r, s * r
    if kind == CAPSULE:
        return s * r, s * r, s * (r + a[SIZE + 1])
    if kind == CYLINDER:
        return s * r, s * r, s * a[SIZE + 1]
    return s * r, s * a[SIZE + 1], s * a[SIZE + 2]


@helper
def extent(a, i):
    """How far a shape reaches along axis i of the world from its origin."""
    kind, r = a[KIND], a[SIZE]
    if kind == SPHERE:
        return r
    x, y, z = a[3 * i], a[3 * i + 1], a[3 * i + 2]
    if kind == CAPSULE:
        return r + a[SIZE + 1] * abs(z)
    if kind == CYLINDER:
        return r * sqrt(x * x + y * y) + a[SIZE + 1] * abs(z)
    if kind == ELLIPSOID:
        return sqrt((r * x) ** 2 + (a[SIZE + 1] * y) ** 2 + (a[SIZE + 2] * z) ** 2)
    if kind == PLANE:
        return 1e300
    return r * abs(x) + a[SIZE + 1] * abs(y) + a[SIZE + 2] * abs(z)
