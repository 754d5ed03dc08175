"""A shape of a body in a fluid: buoyancy, drag, and what a current does to the added mass.

Buoyancy acts on the immersed volume (see `immersion`), against gravity. Drag acts in the axes of the frame on
the velocity u, w relative to the fluid, in the share of the shape that is immersed:

    f = -(6 pi mu R u + 1/2 rho Cd A |u| u),    and  -(D_i + Q_i |u_i|) u_i

with the radius R of a sphere of the same volume and the area A that the shape shows along u. The added mass
is part of the body's inertia, with its Coriolis terms for a fluid at rest; a current U adds the difference

    A du/dt + v x* A v - v_r x* A v_r,    du/dt = -w x U in the axes of the frame
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.forces.element import ForceElement, Linear, Matrix6
from treadle.forces.frames import FrameMotion
from treadle.forces.immersion import Immersed, box_immersed, ellipsoid_immersed
from treadle.graph import Scalar, sqrt
from treadle.spatial import ArticulatedInertia, Force, Mat3, Motion, Vec3

__all__ = ["Hull"]

#: Added to the square of a speed (m2/s2), so that its root has a slope at rest.
_SLOW = 1e-60


class Hull(ForceElement):
    """A shape in a fluid, about the origin of its frame."""

    shape: str
    size: Sequence[Scalar]
    volume: Scalar
    drag_coefficient: Scalar
    linear_drag: Matrix6
    quadratic_drag: Sequence[Scalar]
    added_mass: Matrix6
    density: Scalar
    viscosity: Scalar
    current: Sequence[Scalar]
    surface: Scalar | None
    gravity: Sequence[Scalar]

    def energy(self, *frames: FrameMotion) -> Scalar:
        (frame,) = frames
        if self._weightless:
            return 0.0
        if self._flooded:
            return (self.density * self.volume) * Vec3(*self.gravity).dot(frame.position)
        return (self.density * self._pull) * self._immersed(frame).depth

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        (frame,) = frames
        if self._weightless:
            return ()
        if self._flooded:
            return [Force(Vec3(), Vec3(*self.gravity) * -(self.density * self.volume))]
        wet = self._immersed(frame)
        force = Vec3(*self.gravity) * -self.density
        return [Force(frame.rotation.apply(wet.moment).cross(force), force * wet.volume)]

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        (frame,) = frames
        seen = self._relative(frame)
        resistance = self._resistance(frame, seen)
        drag = [-_dot(row, list(seen)) for row in resistance]
        total = Force.of(drag)
        if any(not _zero(x) for x in self.current) and any(
            not _zero(x) for row in self.added_mass for x in row
        ):
            total = total + self._carried(frame, seen)
        R = frame.rotation
        return [Force(R.apply(total.angular), R.apply(total.linear))]

    def linear(self, *frames: FrameMotion) -> Linear | None:
        (frame,) = frames
        D = self._resistance(frame, self._relative(frame))
        return Linear(None, _turned(D, frame.rotation))

    @property
    def _weightless(self) -> bool:
        return all(_zero(x) for x in self.gravity)

    @property
    def _flooded(self) -> bool:
        return self.surface is None or self.shape == "volume"

    @property
    def _pull(self) -> float:
        return math.sqrt(sum(float(x) ** 2 for x in self.gravity))  # type: ignore[arg-type]

    def _immersed(self, frame: FrameMotion) -> Immersed:
        assert self.surface is not None
        up = Vec3(*self.gravity) * (-1.0 / self._pull)
        depth = self.surface - up.dot(frame.position)
        seen = frame.rotation.apply_transposed(up)
        immersed = ellipsoid_immersed if self.shape == "ellipsoid" else box_immersed
        return immersed(self.size, seen, depth)

    def _relative(self, frame: FrameMotion) -> Motion:
        """Velocity relative to the fluid, in the axes of the frame."""
        R = frame.rotation
        linear = frame.velocity - Vec3(*self.current)
        return Motion(R.apply_transposed(frame.angular_velocity), R.apply_transposed(linear))

    def _resistance(self, frame: FrameMotion, seen: Motion) -> list[list[Scalar]]:
        """Drag per velocity, in the axes of the frame."""
        share: Scalar = 1.0
        if not (self._flooded or self._weightless):
            share = self._immersed(frame).volume / self.volume
        D: list[list[Scalar]] = [list(row) for row in self.linear_drag]
        for i, (rate, q) in enumerate(zip(seen, self.quadratic_drag, strict=True)):
            if not _zero(q):
                D[i][i] = D[i][i] + q * abs(rate)
        blunt = self._blunt(seen.linear)
        radius = (0.75 / math.pi * self.volume) ** (1.0 / 3.0)
        for i in range(3):
            D[3 + i][3 + i] = D[3 + i][3 + i] + blunt + (6.0 * math.pi * radius) * self.viscosity
            D[i][i] = D[i][i] + (8.0 * math.pi * radius**3) * self.viscosity
        return [[x if _zero(x) else share * x for x in row] for row in D]

    def _blunt(self, u: Vec3) -> Scalar:
        """1/2 rho Cd A |u|."""
        if _zero(self.drag_coefficient) or self.shape == "volume":
            return 0.0
        a, b, c = self.size
        if self.shape == "ellipsoid":
            x, y, z = (b * c) * u.x, (c * a) * u.y, (a * b) * u.z
            seen = math.pi * sqrt(x * x + y * y + z * z + _SLOW)
        else:
            seen = (b * c) * abs(u.x) + (c * a) * abs(u.y) + (a * b) * abs(u.z)
        return (0.5 * self.density * self.drag_coefficient) * seen

    def _carried(self, frame: FrameMotion, seen: Motion) -> Force:
        """What the current changes of the added mass's inertial force, in the axes of the frame."""
        A = ArticulatedInertia.of_matrix(self.added_mass)
        current = frame.rotation.apply_transposed(Vec3(*self.current))
        own = Motion(seen.angular, seen.linear + current)
        turned = Motion(Vec3(), -seen.angular.cross(current))
        return A.apply(turned) + own.cross_force(A.apply(own)) - seen.cross_force(A.apply(seen))


def _turned(matrix: Matrix6, R: Mat3) -> list[list[Scalar]]:
    """A matrix given in the axes of a frame, in those of the base."""
    blocks = [[Mat3.of([row[j : j + 3] for row in matrix[i : i + 3]]) for j in (0, 3)] for i in (0, 3)]
    turned = [[R @ block @ R.T for block in pair] for pair in blocks]
    rows: list[list[Scalar]] = []
    for left, right in turned:
        rows += [[*a, *b] for a, b in zip(left.rows, right.rows, strict=True)]
    return rows


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True) if not _zero(x)), 0.0)


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
