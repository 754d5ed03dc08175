"""Wind: drag of moving air on a point, 1/2 rho Cd A |u| u."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.current import Current
from treadle.forces.element import ForceElement
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, maximum, sin, sqrt
from treadle.spatial import Force, Vec3

__all__ = ["Wind"]


class Wind(ForceElement):
    """Drag at the origin of a frame, by the velocity of the air relative to it."""

    velocity: Sequence[Scalar | str]
    density: Scalar
    drag_area: Scalar
    gust: Scalar
    frequency: Scalar

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        air = Current(self.velocity).at(frames[0].position, time)
        if not (isinstance(self.gust, float) and self.gust == 0.0):
            air = air * (1.0 + self.gust * sin(self.frequency * time))
        u = air - frames[0].velocity
        # a slope at rest that is zero, not undefined
        speed = sqrt(maximum(u.dot(u), 1e-30))
        return [Force(Vec3(), u * (0.5 * self.density * self.drag_area * speed))]
