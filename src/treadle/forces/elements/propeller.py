"""A propeller: thrust and torque over the advance ratio, on the body that turns.

With the speed n (1/s) of the body about the axis, the diameter D and the speed of advance u along the axis,
less the wake, the advance ratio is J = u / (n D), and

    T = rho D^4 n |n| KT(J),    Q = -rho D^5 n |n| KQ(J),    KT = kt0 + kt1 J,    KQ = kq0 + kq1 J

Both are polynomials of n and u, so that nothing is singular at rest. A step takes the part that damps, by n
and by u, at its end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.forces.current import Current
from treadle.forces.element import ForceElement, Linear
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, maximum
from treadle.spatial import Force, Vec3

__all__ = ["Propeller"]


class Propeller(ForceElement):
    """A propeller about an axis through the origin of its frame."""

    axis: Sequence[Scalar]
    diameter: Scalar
    thrust: Sequence[Scalar]
    torque: Sequence[Scalar]
    wake: Scalar
    deduction: Scalar
    density: Scalar
    current: Sequence[Scalar | str]
    profile: Sequence[Sequence[float]]

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        (frame,) = frames
        axis = frame.rotation.apply(Vec3(*self.axis))
        n = axis.dot(frame.angular_velocity) * (0.5 / math.pi)
        advance = (1.0 - self.wake) * axis.dot(
            frame.velocity - Current(self.current, self.profile).at(frame.position, time)
        )
        size = abs(n)
        D = self.diameter
        # n |n| K(J) = n |n| k0 + |n| u k1 / D
        force, moment = (
            k0 * (n * size) + (k1 / D) * (size * advance) for k0, k1 in (self.thrust, self.torque)
        )
        scale = self.density * (D * D * D * D)
        pull = ((1.0 - self.deduction) * scale) * force
        return [Force(axis * -((scale * D) * moment), axis * pull)]

    def linear(self, *frames: FrameMotion) -> Linear | None:
        """Slopes of the torque by the turning rate and of the thrust by the speed of advance, which damp."""
        (frame,) = frames
        axis = frame.rotation.apply(Vec3(*self.axis))
        size = abs(axis.dot(frame.angular_velocity)) * (0.5 / math.pi)
        D = self.diameter
        scale = self.density * (D * D * D * D)
        turning = (scale * D * abs(self.torque[0]) / math.pi) * size
        falling = maximum(-self.thrust[1], 0.0)
        along = (scale * (1.0 - self.deduction) * (1.0 - self.wake) * falling / D) * size
        outer = [[a * b for b in axis] for a in axis]
        rows: list[list[Scalar]] = [[turning * x for x in row] + [0.0] * 3 for row in outer]
        rows += [[0.0] * 3 + [along * x for x in row] for row in outer]
        return Linear(None, rows)
