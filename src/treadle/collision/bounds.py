"""Upright boxes around shapes."""

from __future__ import annotations

from math import isfinite, sqrt

from treadle.collision.kinds import CAPSULE, CYLINDER, ELLIPSOID, MESH, PLANE, SPHERE
from treadle.collision.vectors import world
from treadle.native.signatures import kernel

__all__ = ["compose", "compose_one", "enclose"]


@kernel()
def compose_one(shapes, bodies, s, X):
    """Write the pose X_WS of a shape."""
    P = shapes.placement
    b = shapes.body[s]
    for i in range(3):
        for j in range(3):
            X[s, 3 * i + j] = (
                bodies[b, 3 * i] * P[s, j]
                + bodies[b, 3 * i + 1] * P[s, 3 + j]
                + bodies[b, 3 * i + 2] * P[s, 6 + j]
            )
    X[s, 9], X[s, 10], X[s, 11] = world(bodies, b, (P[s, 9], P[s, 10], P[s, 11]))


@kernel()
def compose(shapes, bodies, X):
    """Write the pose X_WS of every shape, from the poses X_WB of the bodies (the world's is row 0)."""
    for s in range(len(shapes.kind)):
        compose_one(shapes, bodies, s, X)


@kernel()
def enclose(shapes, X, margin, low, high):
    """Write the lowest and highest coordinates (n, 3), each shape larger by half the margin.

    Two boxes overlap if the shapes come within the margin of each other. A plane has no box.
    False if a pose is not finite.
    """
    for s in range(len(shapes.kind)):
        kind = shapes.kind[s]
        if kind == PLANE:
            continue
        S = shapes.size[s]
        for i in range(3):
            x, y, z = X[s, 3 * i], X[s, 3 * i + 1], X[s, 3 * i + 2]
            if kind == MESH:
                half = shapes.radius[s]
            else:
                half = extent(kind, S[0], S[1], S[2], x, y, z)
            # a little more, so that rounding hides no pair at the margin
            half += 0.5 * margin + 1e-12 * (half + abs(X[s, 9 + i]))
            low[s, i] = X[s, 9 + i] - half
            high[s, i] = X[s, 9 + i] + half
    for s in range(len(X)):
        for i in range(12):
            if not isfinite(X[s, i]):
                return False
    return True


@kernel()
def extent(kind, a, b, c, x, y, z):
    """How far a primitive with the half sizes a, b, c reaches along a direction x, y, z in its own axes."""
    if kind == SPHERE:
        return a
    if kind == CAPSULE:
        return a + b * abs(z)
    if kind == CYLINDER:
        return a * sqrt(x * x + y * y) + b * abs(z)
    if kind == ELLIPSOID:
        return sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2)
    return a * abs(x) + b * abs(y) + c * abs(z)
