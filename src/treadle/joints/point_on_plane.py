"""Point on a plane: a foot that slides on a table and does not leave it."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.joints.joint import Closure, across, apart, unit
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["PointOnPlane"]


class PointOnPlane(Tie):
    """The origin of S lies in the plane through P across the axis; q = (x, y) in it, as a planar joint's."""

    kind = "point_on_plane"
    positions = ("x", "y")
    velocities = ("speed_x", "speed_y")
    position_units = ("m", "m")
    velocity_units = ("m/s", "m/s")
    prevents = 1

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S, (self.axis,)), []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return apart(P, S, across(self.axis))
