"""Points of one link that may touch a flat face of another: contacts whose candidates are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.graph import Scalar
from treadle.joints.joint import across
from treadle.model.model import WORLD, Frame, Model
from treadle.spatial import Transform, Vec3

__all__ = ["PointContact"]

_Triple = tuple[float, float, float]


@dataclass(frozen=True)
class PointContact:
    """A point (m) of a link, above a plane of another (None: the world) through `origin` with a unit normal.

    The distance between them is not negative; `friction` is Coulomb's coefficient.
    """

    link: str
    point: _Triple
    face: str | None
    origin: _Triple
    normal: _Triple
    friction: float = 0.0

    def in_bodies(self, model: Model) -> tuple[int, Vec3, int, Vec3, tuple[Vec3, Vec3, Vec3]]:
        """Body and place of the point; body and place of a point of the face, its normal and tangents."""
        on, under = model.frame(self.link), _WORLD_FRAME if self.face is None else model.frame(self.face)
        normal = under.placement.rotation.apply(Vec3(*self.normal))
        directions = (normal, *across(normal))
        return on.body, _placed(on, self.point), under.body, _placed(under, self.origin), directions


_WORLD_FRAME = Frame("world", WORLD, Transform.identity())


def _placed(frame: Frame, point: Sequence[Scalar]) -> Vec3:
    return frame.placement.rotation.apply(Vec3(*point)) + frame.placement.translation
