"""Unit quaternions (w, x, y, z), their exponential map and its derivative."""

from __future__ import annotations

import math
from collections.abc import Iterator

from treadle.graph import Scalar, atan2, cos, sin, sqrt, where
from treadle.spatial.matrix import Mat3
from treadle.spatial.vector import Vec3

__all__ = ["Quaternion"]

# below this squared angle (rad^2) the series replace sin(t)/t and its like: their error is < 1e-18
_SMALL = 1e-4


class Quaternion:
    """Rotation R_PB as a unit quaternion."""

    __slots__ = ("w", "x", "y", "z")

    def __init__(self, w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> None:
        self.w = w
        self.x = x
        self.y = y
        self.z = z

    @classmethod
    def exp(cls, delta: Vec3) -> Quaternion:
        """Rotation by the vector delta (rad): (cos t/2, delta sin(t/2)/t) with t = |delta|."""
        square = delta.dot(delta)
        small = square < _SMALL
        half = 0.5 * sqrt(where(small, 1.0, square))
        s = where(small, 0.5 - square * (1 / 48 - square * (1 / 3840)), 0.5 * sin(half) / half)
        c = where(small, 1.0 - square * (1 / 8 - square * (1 / 384 - square * (1 / 46080))), cos(half))
        return cls(c, delta.x * s, delta.y * s, delta.z * s)

    @classmethod
    def from_matrix(cls, rotation: Mat3) -> Quaternion:
        """From a rotation matrix of floats."""
        (a, b, c), (d, e, f), (g, h, i) = [[float(x) for x in row] for row in rotation.rows]  # type: ignore[arg-type]
        # the largest of 4w^2, 4x^2, 4y^2, 4z^2 makes the division safe
        squares = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i]
        k = squares.index(max(squares))
        rows = [
            [squares[0], h - f, c - g, d - b],
            [h - f, squares[1], b + d, c + g],
            [c - g, b + d, squares[2], f + h],
            [d - b, c + g, f + h, squares[3]],
        ]
        values = [x / (2.0 * math.sqrt(squares[k])) for x in rows[k]]
        return cls(*[math.copysign(1.0, values[0]) * x for x in values])

    @classmethod
    def of_matrix(cls, rotation: Mat3) -> Quaternion:
        """From a rotation matrix over any scalars, w not negative."""
        (a, b, c), (d, e, f), (g, h, i) = rotation.to_rows()
        # the largest of 4w^2, 4x^2, 4y^2, 4z^2 makes the division safe
        rows = [
            [1.0 + a + e + i, h - f, c - g, d - b],
            [h - f, 1.0 + a - e - i, b + d, c + g],
            [c - g, b + d, 1.0 - a + e - i, f + h],
            [d - b, c + g, f + h, 1.0 - a - e + i],
        ]
        square, best = rows[0][0], rows[0]
        for k in (1, 2, 3):
            larger = rows[k][k] > square
            best = [where(larger, x, y) for x, y in zip(rows[k], best, strict=True)]
            square = where(larger, rows[k][k], square)
        scale = 0.5 / sqrt(square)
        scale = where(best[0] < 0.0, -scale, scale)
        return cls(*[x * scale for x in best])

    def __iter__(self) -> Iterator[Scalar]:
        yield self.w
        yield self.x
        yield self.y
        yield self.z

    def __matmul__(self, other: Quaternion) -> Quaternion:
        """Product: the rotation of `other` first."""
        a, b = self, other
        return Quaternion(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
            a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        )

    def conjugate(self) -> Quaternion:
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def renormalized(self) -> Quaternion:
        """One Newton step towards unit length, enough for one that is nearly there."""
        square = self.w * self.w + self.x * self.x + self.y * self.y + self.z * self.z
        scale = 1.5 - 0.5 * square
        return Quaternion(self.w * scale, self.x * scale, self.y * scale, self.z * scale)

    def rate(self, omega: Vec3) -> Quaternion:
        """Time derivative for the body-frame angular velocity omega: q (0, omega) / 2."""
        return self @ Quaternion(0.0, 0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z)

    def log(self) -> Vec3:
        """Rotation vector of length at most pi (rad)."""
        sign = where(self.w < 0.0, -1.0, 1.0)
        w, x, y, z = self.w * sign, self.x * sign, self.y * sign, self.z * sign
        square = x * x + y * y + z * z
        small = square < _SMALL
        s = sqrt(where(small, 1.0, square))
        # t/sin(t/2) with t/2 = atan2(s, w); near zero 2 asin(s)/s in powers of s^2
        series = 2.0 + square * (1 / 3 + square * (3 / 20 + square * (5 / 56)))
        scale = where(small, series, 2.0 * atan2(s, w) / s)
        return Vec3(x * scale, y * scale, z * scale)

    def matrix(self) -> Mat3:
        """Rotation matrix R_PB."""
        w, x, y, z = self.w, self.x, self.y, self.z
        xx, yy, zz = x * x, y * y, z * z
        xy, xz, yz, wx, wy, wz = x * y, x * z, y * z, w * x, w * y, w * z
        return Mat3(
            Vec3(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
            Vec3(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)),
            Vec3(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)),
        )
