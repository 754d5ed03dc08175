"""Universal joint: rotation about a first axis, then about a second one that moves with it."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, atan2
from treadle.joints.joint import Closure, Joint, apart, rotation_about, unit
from treadle.spatial import Motion, Transform, Vec3

__all__ = ["Universal"]


class Universal(Joint):
    """q = (first angle, second angle); R = R1(q1) R2(q2); S = ((R2^T a1, 0), (a2, 0))."""

    kind = "universal"
    positions = ("first_angle", "second_angle")
    velocities = ("first_rate", "second_rate")
    position_units = ("rad", "rad")
    velocity_units = ("rad/s", "rad/s")

    def __init__(self, axis: Sequence[float] = (1, 0, 0), second_axis: Sequence[float] = (0, 1, 0)) -> None:
        self.axis = unit(axis)
        self.second_axis = unit(second_axis)
        cross = self.axis.cross(self.second_axis)
        if float(cross.dot(cross)) < 1e-12:  # type: ignore[arg-type]
            raise ValueError("the two axes of a universal joint must not be parallel")

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]) @ rotation_about(self.second_axis, q[1]), Vec3())

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        return [Motion(self._first_axis(q), Vec3()), Motion(self.second_axis, Vec3())]

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        # d/dt (R2^T a1) = -(a2 v2) x (R2^T a1)
        return Motion(self._first_axis(q).cross(self.second_axis) * (v[0] * v[1]), Vec3())

    def _first_axis(self, q: Sequence[Scalar]) -> Vec3:
        return rotation_about(self.second_axis, q[1]).apply_transposed(self.axis)

    def closure(self, P: Transform, S: Transform) -> Closure:
        between = P.rotation.apply(self.axis).dot(S.rotation.apply(self.second_axis))
        return apart(P, S), [between - self.axis.dot(self.second_axis)]

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        # R1 alone moves the second axis, R2 alone the first as the successor sees it
        second = P.rotation.apply_transposed(S.rotation.apply(self.second_axis))
        first = S.rotation.apply_transposed(P.rotation.apply(self.axis))
        return [
            _turn(self.axis, self.second_axis, second),
            -_turn(self.second_axis, self.axis, first),
        ]


def _turn(axis: Vec3, before: Vec3, after: Vec3) -> Scalar:
    """Angle about an axis from one direction to another, both at the same slope to it."""
    part = before - axis * axis.dot(before)
    return atan2(axis.dot(part.cross(after)), part.dot(after))
