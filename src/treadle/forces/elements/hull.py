"""A shape of a body in a fluid: buoyancy, drag, and what a current does to the added mass.

Buoyancy acts on the immersed volume (see `immersion`), against gravity. Drag acts in the axes of the frame on
the velocity u, w relative to the fluid, in the share of the shape that is immersed:

    f = -(6 pi mu R u + 1/2 rho Cd A |u| u),    and  -(D_i + Q_i |u_i|) u_i

with the radius R of a sphere of the same volume and the area A that the shape shows along u. The added mass
is part of the body's inertia, with its Coriolis terms for a fluid at rest; a current U adds the difference

    A du/dt + v x* A v - v_r x* A v_r,    du/dt = -w x U in the axes of the frame

In waves (see `waves`) the hull sees the surface and the motion of the water where it is, as a body that is
small for them: it is immersed up to the local elevation, and the pressure of the moving water pushes the
immersed volume with rho V (a - g), where a is the water's acceleration, which moves the added mass too. The
same holds in a current that varies with place and time (see `current`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from treadle.forces.current import Current
from treadle.forces.element import ForceElement, Linear, Matrix6
from treadle.forces.frames import FrameMotion
from treadle.forces.immersion import Immersed, box_immersed, ellipsoid_immersed, mesh_immersed
from treadle.forces.waves import WaterMotion, wave_motion
from treadle.graph import Scalar, sqrt
from treadle.spatial import ArticulatedInertia, Force, Mat3, Motion, Vec3

__all__ = ["Hull"]

#: Added to the square of a speed (m2/s2), so that its root has a slope at rest.
_SLOW = 1e-60


class _Flow(NamedTuple):
    """Velocity (m/s) and acceleration (m/s2) of the fluid, in world axes."""

    velocity: Vec3
    acceleration: Vec3


class Hull(ForceElement):
    """A shape in a fluid, about the origin of its frame."""

    shape: str
    size: Sequence[Scalar]
    points: Sequence[Sequence[float]]
    triangles: Sequence[Sequence[int]]
    volume: Scalar
    drag_coefficient: Scalar
    linear_drag: Matrix6
    quadratic_drag: Sequence[Scalar]
    added_mass: Matrix6
    density: Scalar
    viscosity: Scalar
    current: Sequence[Scalar | str]
    profile: Sequence[Sequence[float]]
    surface: Scalar | None
    gravity: Sequence[Scalar]
    waves: Sequence[Sequence[Scalar]]

    def energy(self, *frames: FrameMotion) -> Scalar:
        (frame,) = frames
        if self._weightless or self.waves:
            return 0.0
        if self._flooded:
            return (self.density * self.volume) * Vec3(*self.gravity).dot(frame.position)
        return (self.density * self._pull) * self._immersed(frame).depth

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        (frame,) = frames
        if self._weightless or self.waves:
            return ()
        if self._flooded:
            return [Force(Vec3(), Vec3(*self.gravity) * -(self.density * self.volume))]
        wet = self._immersed(frame)
        force = Vec3(*self.gravity) * -self.density
        return [Force(frame.rotation.apply(wet.moment).cross(force), force * wet.volume)]

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        (frame,) = frames
        water = self._water(frame, time)
        flow = self._flow(frame, water, time)
        seen = self._relative(frame, flow)
        resistance = self._resistance(frame, seen, water)
        drag = [-_dot(row, list(seen)) for row in resistance]
        total = Force.of(drag)
        moves = bool(self.waves) or any(not _zero(x) for x in self.current) or bool(self.profile)
        if moves and any(not _zero(x) for row in self.added_mass for x in row):
            total = total + self._carried(frame, seen, flow)
        R = frame.rotation
        force = Force(R.apply(total.angular), R.apply(total.linear))
        if water is not None or not self._steady:
            force = force + self._pushed(frame, flow, water)
        return [force]

    def _water(self, frame: FrameMotion, time: Scalar) -> WaterMotion | None:
        """How waves move the water where the frame is, if there are any."""
        if not self.waves or self._weightless:
            return None
        assert self.surface is not None
        height = self._up.dot(frame.position) - self.surface
        return wave_motion(self.waves, self._pull, frame.position, height, time)

    def _pushed(self, frame: FrameMotion, flow: _Flow, water: WaterMotion | None) -> Force:
        """Force of the pressure in moving water at the centre of the immersed volume: rho V (a - g) in waves.

        Without waves the part of gravity has an energy, and is not here.
        """
        push = (
            flow.acceleration if water is None else flow.acceleration - Vec3(*self.gravity)
        ) * self.density
        if self._flooded:
            return Force(Vec3(), push * self.volume)
        wet = self._immersed(frame, water)
        return Force(frame.rotation.apply(wet.moment).cross(push), push * wet.volume)

    def linear(self, *frames: FrameMotion) -> Linear | None:
        (frame,) = frames
        D = self._resistance(frame, self._relative(frame, self._flow(frame, None, 0.0)))
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

    @property
    def _up(self) -> Vec3:
        return Vec3(*self.gravity) * (-1.0 / self._pull)

    def _immersed(self, frame: FrameMotion, water: WaterMotion | None = None) -> Immersed:
        """What is under the surface, which waves lift and tilt."""
        assert self.surface is not None
        up = self._up
        depth = self.surface - up.dot(frame.position)
        if water is not None:
            x, y = water.slope
            size = 1.0 / sqrt(1.0 + x * x + y * y)
            up = Vec3(up.x - x, up.y - y, up.z) * size
            depth = (depth + water.elevation) * size
        seen = frame.rotation.apply_transposed(up)
        if self.shape == "mesh":
            return mesh_immersed([Vec3(*point) for point in self.points], self.triangles, seen, depth)
        immersed = ellipsoid_immersed if self.shape == "ellipsoid" else box_immersed
        return immersed(self.size, seen, depth)

    def _relative(self, frame: FrameMotion, flow: _Flow) -> Motion:
        """Velocity relative to the fluid, in the axes of the frame."""
        R = frame.rotation
        linear = frame.velocity - flow.velocity
        return Motion(R.apply_transposed(frame.angular_velocity), R.apply_transposed(linear))

    @property
    def _steady(self) -> bool:
        return Current(self.current, self.profile).uniform

    def _flow(self, frame: FrameMotion, water: WaterMotion | None, time: Scalar) -> _Flow:
        """How the fluid moves where the frame is, in world axes."""
        current = Current(self.current, self.profile)
        flow = _Flow(current.at(frame.position, time), current.acceleration(frame.position, time))
        if water is None:
            return flow
        return _Flow(flow.velocity + water.velocity, flow.acceleration + water.acceleration)

    def _resistance(
        self, frame: FrameMotion, seen: Motion, water: WaterMotion | None = None
    ) -> list[list[Scalar]]:
        """Drag per velocity, in the axes of the frame."""
        share: Scalar = 1.0
        if not (self._flooded or self._weightless):
            share = self._immersed(frame, water).volume / self.volume
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
        if self.shape == "mesh":
            seen = self._outline(u)
        elif self.shape == "ellipsoid":
            x, y, z = (b * c) * u.x, (c * a) * u.y, (a * b) * u.z
            seen = math.pi * sqrt(x * x + y * y + z * z + _SLOW)
        else:
            seen = (b * c) * abs(u.x) + (c * a) * abs(u.y) + (a * b) * abs(u.z)
        return (0.5 * self.density * self.drag_coefficient) * seen

    def _outline(self, u: Vec3) -> Scalar:
        """Area that a convex mesh shows along u, times |u|: half the sum of what its triangles show."""
        total: Scalar = 0.0
        for i, j, k in self.triangles:
            a, b, c = (Vec3(*self.points[m]) for m in (i, j, k))
            total = total + abs((b - a).cross(c - a).dot(u))
        return 0.25 * total

    def _carried(self, frame: FrameMotion, seen: Motion, moving: _Flow) -> Force:
        """What moving fluid changes of the added mass's inertial force, in the axes of the frame."""
        A = ArticulatedInertia.of_matrix(self.added_mass)
        flow = frame.rotation.apply_transposed(moving.velocity)
        own = Motion(seen.angular, seen.linear + flow)
        rate = frame.rotation.apply_transposed(moving.acceleration) - seen.angular.cross(flow)
        turned = Motion(Vec3(), rate)
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


def _zero(x: Scalar | str) -> bool:
    return isinstance(x, float) and x == 0.0
