"""Rolling disc: a thin wheel that rolls on a plane without slipping."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, maximum, sqrt
from treadle.joints.joint import Closure, Slip, unit
from treadle.joints.tie import Tie
from treadle.spatial import Transform

__all__ = ["RollingDisc"]

#: Square of the least sine of the angle between axle and normal: a disc that lies flat has no lowest point.
_FLAT = 1e-12


class RollingDisc(Tie):
    """A disc of `radius` (m) about `second_axis` in S touches the plane through P across `axis`.

    With the normal n, the axle a and the centre s the lowest point is x = s - r (n - (n.a) a) / |n - (n.a)
    a|. It stays in the plane, and the material point of the disc there has the velocity of the plane's.
    """

    kind = "rolling_disc"
    positions = velocities = position_units = velocity_units = ()
    prevents = 3
    slip_count = 2

    def __init__(
        self,
        radius: float = 1.0,
        axis: Sequence[float] = (0, 0, 1),
        second_axis: Sequence[float] = (0, 1, 0),
    ) -> None:
        self.radius, self.axis, self.second_axis = float(radius), unit(axis), unit(second_axis)

    def closure(self, P: Transform, S: Transform) -> Closure:
        normal = P.rotation.apply(self.axis)
        sine = _sine(normal.dot(S.rotation.apply(self.second_axis)))
        return [normal.dot(S.translation - P.translation) - self.radius * sine], []

    def slips(self, P: Transform, S: Transform) -> list[Slip]:
        normal, axle = P.rotation.apply(self.axis), S.rotation.apply(self.second_axis)
        lean = normal.dot(axle)
        sine = _sine(lean)
        point = S.translation - (normal - axle * lean) * (self.radius / sine)
        forward = axle.cross(normal) * (1.0 / sine)
        return [Slip(forward, point), Slip(normal.cross(forward), point)]

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return []


def _sine(cosine: Scalar) -> Scalar:
    return sqrt(maximum((1.0 - cosine) * (1.0 + cosine), _FLAT))
