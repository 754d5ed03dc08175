"""Prismatic joint: sliding along one axis."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Closure, Joint, across, aligned, apart, unit
from treadle.spatial import Mat3, Motion, Transform, Vec3

__all__ = ["Prismatic"]


class Prismatic(Joint):
    """q = (displacement); S = (0, axis)."""

    kind = "prismatic"
    positions = ("displacement",)
    velocities = ("speed",)
    position_units = ("m",)
    velocity_units = ("m/s",)

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Mat3.identity(), self.axis * q[0])

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        return [Motion(Vec3(), self.axis)]

    def closure(self, P: Transform, S: Transform) -> Closure:
        u, w = across(self.axis)
        turn = P.rotation.apply(w).dot(S.rotation.apply(u))
        return apart(P, S, (u, w)), [*aligned(P, S, self.axis), turn]

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return apart(P, S, (self.axis,))
