"""Cylindrical joint: rotation about and sliding along one axis, independently."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Closure, Joint, across, aligned, apart, rotation_about, turn_about, unit
from treadle.spatial import Motion, Transform, Vec3

__all__ = ["Cylindrical"]


class Cylindrical(Joint):
    """q = (angle, displacement); S = ((axis, 0), (0, axis))."""

    kind = "cylindrical"
    positions = ("angle", "displacement")
    velocities = ("rate", "speed")
    position_units = ("rad", "m")
    velocity_units = ("rad/s", "m/s")

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.axis * q[1])

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        return [Motion(self.axis, Vec3()), Motion(Vec3(), self.axis)]

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S, across(self.axis)), aligned(P, S, self.axis)

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return [turn_about(P, S, self.axis), *apart(P, S, (self.axis,))]
