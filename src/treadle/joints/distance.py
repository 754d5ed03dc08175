"""Distance: a massless rod with a ball joint at each end."""

from __future__ import annotations

from treadle.graph import Scalar
from treadle.joints.joint import Closure
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["Distance"]


class Distance(Tie):
    """The origins of both frames stay `length` (m) apart: (r . r - L^2) / (2 L) vanishes, r from P to S."""

    kind = "distance"
    positions = velocities = position_units = velocity_units = ()
    prevents = 1

    def __init__(self, length: float = 1.0) -> None:
        self.length = float(length)

    def closure(self, P: Transform, S: Transform) -> Closure:
        gap = S.translation - P.translation
        return [(gap.dot(gap) - self.length * self.length) / (2.0 * self.length)], []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return []
