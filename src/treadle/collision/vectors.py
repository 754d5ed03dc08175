"""Vectors as tuples of three, and poses as rows of twelve (rotation by rows, position), for the kernels."""

from __future__ import annotations

from math import sqrt

from treadle.native.signatures import kernel

__all__ = [
    "along", "axis", "cross", "dot", "local", "minus", "norm", "normal_to", "plus", "position", "scaled",
    "store", "unit", "world",
]  # fmt: skip


@kernel()
def plus(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel()
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel()
def scaled(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel()
def along(a, s, b):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel()
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel()
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel()
def norm(a):
    """|a|."""
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel()
def unit(a, otherwise):
    """a / |a|, or what is given otherwise where a is zero."""
    largest = max(abs(a[0]), abs(a[1]), abs(a[2]))
    if largest < 1e-150:
        return otherwise
    x, y, z = a[0] / largest, a[1] / largest, a[2] / largest
    s = 1.0 / sqrt(x * x + y * y + z * z)
    return (x * s, y * s, z * s)


@kernel()
def normal_to(n):
    """A unit vector at right angles to the unit vector n."""
    if abs(n[0]) < 0.6:
        s = 1.0 / sqrt(n[1] * n[1] + n[2] * n[2])
        return (0.0, -n[2] * s, n[1] * s)
    s = 1.0 / sqrt(n[0] * n[0] + n[1] * n[1])
    return (-n[1] * s, n[0] * s, 0.0)


@kernel()
def position(X, a):
    """Origin of pose a."""
    return (X[a, 9], X[a, 10], X[a, 11])


@kernel()
def axis(X, a, j):
    """Axis j (0, 1, 2) of pose a in the world."""
    return (X[a, j], X[a, 3 + j], X[a, 6 + j])


@kernel()
def world(X, a, p):
    """A point of pose a's frame in the world."""
    return (
        X[a, 0] * p[0] + X[a, 1] * p[1] + X[a, 2] * p[2] + X[a, 9],
        X[a, 3] * p[0] + X[a, 4] * p[1] + X[a, 5] * p[2] + X[a, 10],
        X[a, 6] * p[0] + X[a, 7] * p[1] + X[a, 8] * p[2] + X[a, 11],
    )


@kernel()
def local(X, a, p):
    """A point of the world in pose a's frame."""
    x, y, z = p[0] - X[a, 9], p[1] - X[a, 10], p[2] - X[a, 11]
    return (
        X[a, 0] * x + X[a, 3] * y + X[a, 6] * z,
        X[a, 1] * x + X[a, 4] * y + X[a, 7] * z,
        X[a, 2] * x + X[a, 5] * y + X[a, 8] * z,
    )


@kernel()
def store(P, i, p):
    """Write a vector into row i."""
    P[i, 0], P[i, 1], P[i, 2] = p[0], p[1], p[2]
