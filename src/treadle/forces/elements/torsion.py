"""Torsion spring and damper about an axis of the first frame.

The angle phi is that by which the second frame is turned in the first about the axis n, within half a turn of
the angle at rest (the twist, where it is turned across n too). The moment on the second frame is

    m = -(P + k (phi - phi_0) + d dphi/dt) grad phi

with the gradient of phi by turns of the second frame: n itself, where it is turned about n alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.forces.element import ForceElement, Linear, pair_wrenches
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, atan2, floor
from treadle.joints.joint import across
from treadle.spatial import Force, Mat3, Vec3

__all__ = ["TorsionSpring"]


class TorsionSpring(ForceElement):
    """Spring and damper between two frames that turn about a common axis."""

    relative = True
    axis: Sequence[float]
    stiffness: Scalar
    damping: Scalar
    angle: Scalar
    preload: Scalar

    def energy(self, *frames: FrameMotion) -> Scalar:
        _, x = self._deflection(*frames)
        return self.preload * x + (0.5 * self.stiffness) * (x * x)

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        gradient, x = self._deflection(*frames)
        return pair_wrenches(frames, Force(-(gradient * (self.preload + self.stiffness * x)), Vec3()), True)

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        gradient, _ = self._deflection(*frames)
        rate = gradient.dot(frames[1].angular_velocity - frames[0].angular_velocity)
        return pair_wrenches(frames, Force(-(gradient * (self.damping * rate)), Vec3()), True)

    def linear(self, *frames: FrameMotion) -> Linear | None:
        gradient, _ = self._deflection(*frames)
        outer = Mat3.outer(gradient, gradient)
        return Linear(_angular(outer * self.stiffness), _angular(outer * self.damping))

    def _deflection(self, first: FrameMotion, second: FrameMotion) -> tuple[Vec3, Scalar]:
        """Gradient of the angle by turns of the second frame (base axes), and the angle from rest."""
        # axes across n, fixed in either frame, have sine and cosine of the turn up to a common factor
        a, b = across(Vec3(*self.axis))
        a1, b1 = first.rotation.apply(a), first.rotation.apply(b)
        a2, b2 = second.rotation.apply(a), second.rotation.apply(b)
        sine, cosine = b1.dot(a2) - a1.dot(b2), a1.dot(a2) + b1.dot(b2)
        phi = atan2(sine, cosine)
        # d(sine) = w . (a2 x b1 - b2 x a1), d(cosine) = w . (a2 x a1 + b2 x b1)
        by_sine, by_cosine = a2.cross(b1) - b2.cross(a1), a2.cross(a1) + b2.cross(b1)
        size = sine * sine + cosine * cosine
        gradient = (by_sine * cosine - by_cosine * sine) * (1.0 / size)
        away = phi - self.angle
        return gradient, away - 2.0 * math.pi * floor(away / (2.0 * math.pi) + 0.5)


def _angular(block: Mat3) -> list[list[Scalar]]:
    matrix: list[list[Scalar]] = [[0.0] * 6 for _ in range(6)]
    for i, row in enumerate(block.to_rows()):
        matrix[i][:3] = row
    return matrix
