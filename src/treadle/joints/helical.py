"""Helical joint: a screw, sliding `pitch` metres along its axis per radian."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Joint, rotation_about, unit
from treadle.spatial import Motion, Transform

__all__ = ["Helical"]


class Helical(Joint):
    """q = (angle); S = (axis, pitch axis)."""

    kind = "helical"
    positions = ("angle",)
    velocities = ("rate",)
    position_units = ("rad",)
    velocity_units = ("rad/s",)

    def __init__(self, axis: Sequence[float] = (0, 0, 1), pitch: float = 0.0) -> None:
        self.axis = unit(axis)
        self.pitch = float(pitch)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.axis * (q[0] * self.pitch))

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        return [Motion(self.axis, self.axis * self.pitch)]
