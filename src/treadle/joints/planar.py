"""Planar joint: a body that slides in a plane and turns about its normal."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Closure, Joint, across, aligned, apart, rotation_about, turn_about, unit
from treadle.spatial import Motion, Transform, Vec3

__all__ = ["Planar"]


class Planar(Joint):
    """q = (angle, x, y), x and y in the parent's plane; v = dq/dt; S = ((n, 0), (0, R^T u), (0, R^T w))."""

    kind = "planar"
    positions = ("angle", "x", "y")
    velocities = ("rate", "speed_x", "speed_y")
    position_units = ("rad", "m", "m")
    velocity_units = ("rad/s", "m/s", "m/s")

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)
        self.u, self.w = across(self.axis)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.u * q[1] + self.w * q[2])

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        R = rotation_about(self.axis, q[0])
        return [
            Motion(self.axis, Vec3()),
            Motion(Vec3(), R.apply_transposed(self.u)),
            Motion(Vec3(), R.apply_transposed(self.w)),
        ]

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        R = rotation_about(self.axis, q[0])
        velocity_B = R.apply_transposed(self.u * v[1] + self.w * v[2])
        return Motion(Vec3(), velocity_B.cross(self.axis * v[0]))

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S, (self.axis,)), aligned(P, S, self.axis)

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return [turn_about(P, S, self.axis), *apart(P, S, (self.u, self.w))]
