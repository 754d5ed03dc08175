"""Point on a line: a pin in a slot, a ring on a wire."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Closure, across, apart, unit
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["PointOnLine"]


class PointOnLine(Tie):
    """The origin of S lies on the axis of P; q = (displacement) along it."""

    kind = "point_on_line"
    positions = ("displacement",)
    velocities = ("speed",)
    position_units = ("m",)
    velocity_units = ("m/s",)
    prevents = 2

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S, across(self.axis)), []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return apart(P, S, (self.axis,))
