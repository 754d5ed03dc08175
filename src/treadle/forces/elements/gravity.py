"""Fields of gravity: uniform, and central by the inverse square of the distance."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.element import ForceElement
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, maximum, sqrt
from treadle.spatial import Force, Vec3

__all__ = ["Gravity"]

#: Square of the least distance to the centre (m2).
_NEAREST = 1e-20


class Gravity(ForceElement):
    """m g, and -m mu r / |r|^3; the energy is -m g . p - m mu / |r|."""

    mass: Scalar
    uniform: Sequence[Scalar]
    center: Sequence[Scalar]
    parameter: Scalar

    def energy(self, *frames: FrameMotion) -> Scalar:
        (frame,) = frames
        stored = -(Vec3(*self.uniform).dot(frame.position) * self.mass)
        if _zero(self.parameter):
            return stored
        _, distance = self._radius(frame)
        return stored - self.mass * self.parameter / distance

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        (frame,) = frames
        force = Vec3(*self.uniform) * self.mass
        if not _zero(self.parameter):
            r, distance = self._radius(frame)
            force = force - r * (self.mass * self.parameter / (distance * distance * distance))
        return [Force(Vec3(), force)]

    def _radius(self, frame: FrameMotion) -> tuple[Vec3, Scalar]:
        r = frame.position - Vec3(*self.center)
        return r, sqrt(maximum(r.dot(r), _NEAREST))


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
