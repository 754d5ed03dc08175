"""Three-dimensional vectors."""

from __future__ import annotations

from collections.abc import Iterator

from treadle.graph import Scalar

__all__ = ["Vec3"]


class Vec3:
    """A vector (x, y, z)."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: Scalar = 0.0, y: Scalar = 0.0, z: Scalar = 0.0) -> None:
        self.x = x
        self.y = y
        self.z = z

    def __iter__(self) -> Iterator[Scalar]:
        yield self.x
        yield self.y
        yield self.z

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, scale: Scalar) -> Vec3:
        return Vec3(self.x * scale, self.y * scale, self.z * scale)

    __rmul__ = __mul__

    def dot(self, other: Vec3) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def __repr__(self) -> str:
        return f"Vec3({self.x}, {self.y}, {self.z})"
