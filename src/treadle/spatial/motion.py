"""Spatial motion and force vectors, angular part first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from treadle.graph import Scalar
from treadle.spatial.vector import Vec3

__all__ = ["Force", "Motion"]


class _Spatial:
    """What motion and force vectors share: a vector space."""

    __slots__ = ("angular", "linear")

    def __init__(self, angular: Vec3, linear: Vec3) -> None:
        self.angular = angular
        self.linear = linear

    @classmethod
    def zero(cls) -> Self:
        return cls(Vec3(), Vec3())

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Self:
        """From six scalars, angular first."""
        return cls(Vec3(*values[:3]), Vec3(*values[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.angular
        yield from self.linear

    def __add__(self, other: Self) -> Self:
        return type(self)(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.angular - other.angular, self.linear - other.linear)

    def __neg__(self) -> Self:
        return type(self)(-self.angular, -self.linear)

    def __mul__(self, scale: Scalar) -> Self:
        return type(self)(self.angular * scale, self.linear * scale)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.angular}, {self.linear})"


class Motion(_Spatial):
    """Velocity, acceleration or joint axis: (angular, linear at the frame's origin)."""

    __slots__ = ()

    def dot(self, force: Force) -> Scalar:
        """Power of a force on this motion."""
        return self.angular.dot(force.angular) + self.linear.dot(force.linear)

    def cross(self, other: Motion) -> Motion:
        """Spatial cross product v x m."""
        return Motion(
            self.angular.cross(other.angular),
            self.angular.cross(other.linear) + self.linear.cross(other.angular),
        )

    def cross_force(self, force: Force) -> Force:
        """Spatial cross product v x* f."""
        return Force(
            self.angular.cross(force.angular) + self.linear.cross(force.linear),
            self.angular.cross(force.linear),
        )


class Force(_Spatial):
    """Moment about the frame's origin, and force; also momentum."""

    __slots__ = ()
