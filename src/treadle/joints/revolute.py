"""Revolute joint: rotation about one axis (limited or continuous)."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Closure, Joint, aligned, apart, rotation_about, turn_about, unit
from treadle.spatial import Motion, Transform, Vec3

__all__ = ["Revolute"]


class Revolute(Joint):
    """q = (angle); S = (axis, 0)."""

    kind = "revolute"
    positions = ("angle",)
    velocities = ("rate",)
    position_units = ("rad",)
    velocity_units = ("rad/s",)

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), Vec3())

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        return [Motion(self.axis, Vec3())]

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S), aligned(P, S, self.axis)

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return [turn_about(P, S, self.axis)]
