"""Helical joint: a screw, sliding `pitch` metres along its axis per radian."""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.graph import Scalar, floor
from treadle.joints.joint import Closure, Joint, across, aligned, apart, rotation_about, turn_about, unit
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

    def closure(self, P: Transform, S: Transform) -> Closure:
        u, w = across(self.axis)
        angle = turn_about(P, S, self.axis)
        (along,) = apart(P, S, (self.axis,))
        if self.pitch != 0.0:
            # the angle is known up to whole turns: take those that fit
            angle = angle + 2.0 * math.pi * floor((along / self.pitch - angle) / (2.0 * math.pi) + 0.5)
        return [*apart(P, S, (u, w)), along - self.pitch * angle], aligned(P, S, self.axis)

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        # the way along the axis counts whole turns too
        if self.pitch != 0.0:
            return [x / self.pitch for x in apart(P, S, (self.axis,))]
        return [turn_about(P, S, self.axis)]
