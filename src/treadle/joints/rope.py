"""Rope: two points that can come together, and cannot go further apart than its length."""

from __future__ import annotations

from treadle.graph import Scalar, maximum, sqrt
from treadle.joints.joint import Closure
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["Rope"]


#: Square of the least distance (m2): points that meet have no direction from one to the other.
_NEAREST = 1e-30


class Rope(Tie):
    """The origins of both frames stay within `length` (m); q = (distance)."""

    kind = "rope"
    positions = ("distance",)
    velocities = ("rate",)
    position_units = ("m",)
    velocity_units = ("m/s",)
    prevents = 0

    def __init__(self, length: float = 1.0) -> None:
        self.length = float(length)

    def closure(self, P: Transform, S: Transform) -> Closure:
        return [], []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        gap = S.translation - P.translation
        return [sqrt(maximum(gap.dot(gap), _NEAREST))]
