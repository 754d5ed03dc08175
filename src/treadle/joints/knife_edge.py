"""Knife edge: a blade on a plane, such as a skate, that slides along itself and not sideways."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, sqrt
from treadle.joints.joint import Closure, Slip, across, apart, unit
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["KnifeEdge"]


class KnifeEdge(Tie):
    """The origin of S stays in the plane through P across `axis`, and has no velocity across the blade.

    The blade points along `second_axis` in S.
    """

    kind = "knife_edge"
    positions = velocities = position_units = velocity_units = ()
    prevents = 2
    slip_count = 1

    def __init__(self, axis: Sequence[float] = (0, 0, 1), second_axis: Sequence[float] | None = None) -> None:
        self.axis = unit(axis)
        self.second_axis = across(self.axis)[0] if second_axis is None else unit(second_axis)

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S, (self.axis,)), []

    def slips(self, P: Transform, S: Transform) -> list[Slip]:
        sideways = P.rotation.apply(self.axis).cross(S.rotation.apply(self.second_axis))
        return [Slip(sideways * (1.0 / sqrt(sideways.dot(sideways))), S.translation)]

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return []
