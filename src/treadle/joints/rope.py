"""Rope: two points that can come together, and cannot go further apart than its length."""

from __future__ import annotations

from treadle.graph import Scalar
from treadle.joints.joint import Closure
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["Rope"]


class Rope(Tie):
    """The origins of both frames stay within `length` (m); q = (distance) by (r . r + L^2) / (2 L).

    That is L where the rope is taut, with the rate of the distance, and smooth where the points meet.
    """

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
        return [(gap.dot(gap) + self.length * self.length) / (2.0 * self.length)]
