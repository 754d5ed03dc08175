"""Two points that repel or attract each other by a power of their distance: charges, poles of magnets.

With the softened distance s = sqrt(r^2 + a^2) the energy is S s^(1 - p) / (p - 1), or -S ln s for p = 1; the
force is S s^-p r / s along the line between both.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.element import ForceElement, pair_wrenches
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, log, maximum, sqrt
from treadle.spatial import Force, Vec3

__all__ = ["ChargePair"]

_NEAREST = 1e-20


class ChargePair(ForceElement):
    """Repulsion between the origins of two frames."""

    relative = True
    strength: Scalar
    exponent: Scalar
    radius: Scalar

    def energy(self, *frames: FrameMotion) -> Scalar:
        _, s = self._distance(*frames)
        if isinstance(self.exponent, float) and self.exponent == 1.0:
            return -(self.strength * log(s))
        return self.strength / (self.exponent - 1.0) * s ** (1.0 - self.exponent)

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        r, s = self._distance(*frames)
        push = r * (self.strength * s ** (-1.0 - self.exponent))
        return pair_wrenches(frames, Force(Vec3(), push), own_points=True)

    def tension(self, length: Scalar, rate: Scalar, springs: bool) -> Scalar:
        s = sqrt(length * length + self.radius * self.radius)
        return -(length * (self.strength * s ** (-1.0 - self.exponent))) if springs else 0.0

    def _distance(self, first: FrameMotion, second: FrameMotion) -> tuple[Vec3, Scalar]:
        r = second.position - first.position
        return r, sqrt(maximum(r.dot(r), _NEAREST) + self.radius * self.radius)
