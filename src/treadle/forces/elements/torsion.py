"""Torsion spring and damper about an axis of the first frame.

The angle phi is that by which the second frame is turned in the first about the axis n, within half a turn of
the angle at rest (the twist, where it is turned across n too). The moment on the second frame is

    m = -(P + k (phi - phi_0) + d dphi/dt) grad phi

with the gradient of phi by turns of the second frame: n itself, where it is turned about n alone.

Where the axis n is reversed, with the cosine c = -1 of its tilt, phi has no meaning, and a gradient without
bound. Energy and damping have the factor w, which is 1 up to a right angle and then fades to zero there:

    w = 1 - (1 - s)^4,    s = min((1 + c)^2, 1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from treadle.forces.element import ForceElement, Linear, pair_wrenches
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, atan2, floor, maximum, minimum, sqrt
from treadle.joints.joint import across
from treadle.spatial import Force, Mat3, Vec3

__all__ = ["TorsionSpring"]


#: Square of sine and cosine of an axis that counts as reversed.
_REVERSED = 1e-30


class _Turned(NamedTuple):
    """Gradient of the angle by turns of the second frame (base axes), the angle from rest, w and grad w."""

    gradient: Vec3
    angle: Scalar
    weight: Scalar
    fading: Vec3


class TorsionSpring(ForceElement):
    """Spring and damper between two frames that turn about a common axis."""

    relative = True
    axis: Sequence[float]
    stiffness: Scalar
    damping: Scalar
    angle: Scalar
    preload: Scalar

    def energy(self, *frames: FrameMotion) -> Scalar:
        turned = self._deflection(*frames)
        return turned.weight * self._stored(turned.angle)

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        gradient, x, weight, fading = self._deflection(*frames)
        moment = gradient * (weight * (self.preload + self.stiffness * x)) + fading * self._stored(x)
        return pair_wrenches(frames, Force(-moment, Vec3()), True)

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        gradient, _, weight, _ = self._deflection(*frames)
        rate = gradient.dot(frames[1].angular_velocity - frames[0].angular_velocity)
        return pair_wrenches(frames, Force(-(gradient * (weight * self.damping * rate)), Vec3()), True)

    def linear(self, *frames: FrameMotion) -> Linear | None:
        gradient, x, weight, fading = self._deflection(*frames)
        # the energy is that of the angle sqrt(w) x, which rises from zero where the axis is reversed
        root = sqrt(maximum(weight, _REVERSED))
        rising = gradient * root + fading * (0.5 * x / root)
        stiffness = Mat3.outer(rising, rising) * self.stiffness
        return Linear(_angular(stiffness), _angular(Mat3.outer(gradient, gradient) * (weight * self.damping)))

    def _stored(self, x: Scalar) -> Scalar:
        return self.preload * x + (0.5 * self.stiffness) * (x * x)

    def _deflection(self, first: FrameMotion, second: FrameMotion) -> _Turned:
        # axes across n, fixed in either frame, have sine and cosine of the turn up to a common factor
        a, b = across(Vec3(*self.axis))
        a1, b1 = first.rotation.apply(a), first.rotation.apply(b)
        a2, b2 = second.rotation.apply(a), second.rotation.apply(b)
        sine, cosine = b1.dot(a2) - a1.dot(b2), a1.dot(a2) + b1.dot(b2)
        phi = atan2(sine, cosine)
        # d(sine) = w . (a2 x b1 - b2 x a1), d(cosine) = w . (a2 x a1 + b2 x b1)
        by_sine, by_cosine = a2.cross(b1) - b2.cross(a1), a2.cross(a1) + b2.cross(b1)
        size = sine * sine + cosine * cosine
        gradient = (by_sine * cosine - by_cosine * sine) * (1.0 / maximum(size, _REVERSED))
        away = phi - self.angle
        far = 1.0 - minimum(size, 1.0)
        cube = far * far * far
        fading = (by_sine * sine + by_cosine * cosine) * (8.0 * cube)
        turned = away - 2.0 * math.pi * floor(away / (2.0 * math.pi) + 0.5)
        return _Turned(gradient, turned, 1.0 - cube * far, fading)


def _angular(block: Mat3) -> list[list[Scalar]]:
    matrix: list[list[Scalar]] = [[0.0] * 6 for _ in range(6)]
    for i, row in enumerate(block.to_rows()):
        matrix[i][:3] = row
    return matrix
