"""A foil: lift and drag of a wing, rudder or fin, with its chord along x and its normal along z of its frame.

Of the velocity V relative to the fluid the parts u along the chord and w along the normal count, with the
angle of attack alpha between them:

    L = 1/2 rho A V^2 CL,    CL = slope sin(alpha) cos(alpha),    D = 1/2 rho A V^2 (CD0 + CD2 sin(alpha)^2)

Lift is normal to V and does no work. At small angles CL is slope alpha; a plate across the flow has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.current import Current
from treadle.forces.element import ForceElement
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, sqrt
from treadle.spatial import Force, Vec3

__all__ = ["Foil"]

#: Added to the square of a speed (m2/s2), so that its root has a slope at rest.
_SLOW = 1e-60


class Foil(ForceElement):
    """A wing about the origin of its frame, where its forces act."""

    area: Scalar
    lift_slope: Scalar
    drag: Sequence[Scalar]
    density: Scalar
    current: Sequence[Scalar | str]
    profile: Sequence[Sequence[float]]

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        (frame,) = frames
        seen = frame.rotation.apply_transposed(
            frame.velocity - Current(self.current, self.profile).at(frame.position, time)
        )
        u, w = seen.x, seen.z
        square = u * u + w * w
        speed = sqrt(square + _SLOW)
        half = 0.5 * self.density * self.area
        lift = (half * self.lift_slope) * (-(u * w)) / speed
        least, across = self.drag
        drag = half * (least * speed + across * (w * w) / speed)
        force = Vec3(-(w * lift) - drag * u, 0.0, u * lift - drag * w)
        return [Force(Vec3(), frame.rotation.apply(force))]
