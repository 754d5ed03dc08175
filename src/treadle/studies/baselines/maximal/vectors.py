"""Vectors as tuples of three, quaternions (w, x, y, z) as tuples of four, for compiled kernels."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from treadle.native.kernels import njit

__all__ = [
    "cross", "dot", "exponential", "logarithm", "matrix_of", "minus", "multiply", "plus", "quaternion_of",
    "rotated", "rotated_back", "row", "scaled", "set_row",
]  # fmt: skip


@njit(cache=True)
def row(array, i):
    """Row i of an array (n, 3) as a vector."""
    return (array[i, 0], array[i, 1], array[i, 2])


@njit(cache=True)
def set_row(array, i, x):
    """Write a vector into row i of an array (n, 3)."""
    array[i, 0], array[i, 1], array[i, 2] = x[0], x[1], x[2]


@njit(cache=True)
def plus(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@njit(cache=True)
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@njit(cache=True)
def scaled(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s)


@njit(cache=True)
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@njit(cache=True)
def rotated(R, x):
    """R x for a matrix R (3, 3)."""
    return (
        R[0, 0] * x[0] + R[0, 1] * x[1] + R[0, 2] * x[2],
        R[1, 0] * x[0] + R[1, 1] * x[1] + R[1, 2] * x[2],
        R[2, 0] * x[0] + R[2, 1] * x[1] + R[2, 2] * x[2],
    )


@njit(cache=True)
def rotated_back(R, x):
    """R^T x for a matrix R (3, 3)."""
    return (
        R[0, 0] * x[0] + R[1, 0] * x[1] + R[2, 0] * x[2],
        R[0, 1] * x[0] + R[1, 1] * x[1] + R[2, 1] * x[2],
        R[0, 2] * x[0] + R[1, 2] * x[1] + R[2, 2] * x[2],
    )


@njit(cache=True)
def quaternion_of(array, i):
    """Row i of an array (n, 4) as a quaternion."""
    return (array[i, 0], array[i, 1], array[i, 2], array[i, 3])


@njit(cache=True)
def multiply(p, q):
    """The product p q: first q, then p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@njit(cache=True)
def exponential(x):
    """The rotation by the vector x (rad)."""
    angle = sqrt(dot(x, x))
    # sin(angle / 2) / angle, by its series where the angle is small
    share = sin(0.5 * angle) / angle if angle > 1e-4 else 0.5 - angle * angle / 48.0
    return (cos(0.5 * angle), share * x[0], share * x[1], share * x[2])


@njit(cache=True)
def logarithm(q):
    """The rotation vector (rad) of a unit quaternion, at most half a turn long."""
    sign = 1.0 if q[0] >= 0.0 else -1.0
    length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    share = 2.0 * atan2(length, sign * q[0]) / length if length > 1e-8 else 2.0
    share *= sign
    return (share * q[1], share * q[2], share * q[3])


@njit(cache=True)
def matrix_of(q, R):
    """Write the rotation matrix of a unit quaternion into R (3, 3)."""
    w, x, y, z = q
    R[0, 0], R[0, 1], R[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    R[1, 0], R[1, 1], R[1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
