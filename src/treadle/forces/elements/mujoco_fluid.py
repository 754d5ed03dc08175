"""Fluid forces as MuJoCo has them, to compare with and to import: no buoyancy, no acceleration part.

Both act on the velocity (w, u) relative to the fluid in the axes of the frame. The inertia box model, with
the sides b of a box of the body's inertia and their mean D:

    f_i = -3 pi mu D u_i - 1/2 rho b_j b_k |u_i| u_i,
    g_i = -pi mu D^3 w_i - 1/64 rho b_i (b_j^4 + b_k^4) |w_i| w_i

The ellipsoid model, with half axes s, has drag by the area A that the ellipsoid shows along u (blunt) and the
rest of its largest area (slender), drag against turns, the lift of Kutta and of Magnus, and the velocity part
of the added mass. Its drag has no factor of one half: a blunt coefficient of 0.5 is a conventional Cd of 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.forces.current import Current
from treadle.forces.element import ForceElement
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, sqrt
from treadle.spatial import Force, Vec3

__all__ = ["MujocoFluid"]

#: Added to squares, so that their root has a slope at rest.
_SLOW = 1e-60


class MujocoFluid(ForceElement):
    """One of MuJoCo's two fluid models, about the origin of its frame."""

    model: str
    size: Sequence[float]
    coefficients: Sequence[Scalar]
    added_mass: Sequence[Scalar]
    density: Scalar
    viscosity: Scalar
    current: Sequence[Scalar | str]
    profile: Sequence[Sequence[float]]

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        (frame,) = frames
        R = frame.rotation
        flow = Current(self.current, self.profile).at(frame.position, time)
        w = R.apply_transposed(frame.angular_velocity)
        u = R.apply_transposed(frame.velocity - flow)
        moment, force = self._box(w, u) if self.model == "box" else self._ellipsoid(w, u)
        return [Force(R.apply(moment), R.apply(force))]

    def _box(self, w: Vec3, u: Vec3) -> tuple[Vec3, Vec3]:
        b = self.size
        mean = sum(b) / 3.0
        moments, forces = [], []
        for i, (rate, speed) in enumerate(zip(w, u, strict=True)):
            y, z = b[(i + 1) % 3], b[(i + 2) % 3]
            turning = self.density * (b[i] * (y**4 + z**4) / 64.0) * abs(rate)
            sliding = self.density * (0.5 * y * z) * abs(speed)
            moments.append(-(turning + (math.pi * mean**3) * self.viscosity) * rate)
            forces.append(-(sliding + (3.0 * math.pi * mean) * self.viscosity) * speed)
        return Vec3(*moments), Vec3(*forces)

    def _ellipsoid(self, w: Vec3, u: Vec3) -> tuple[Vec3, Vec3]:
        blunt, slender, angular, kutta, magnus = self.coefficients
        s = self.size
        _, middle, high = sorted(s)
        speed = sqrt(u.dot(u) + _SLOW)
        areas = [s[1] * s[2], s[2] * s[0], s[0] * s[1]]
        normal = Vec3(*[a * a * x for a, x in zip(areas, u, strict=True)])
        seen, size = u.dot(normal) + _SLOW, normal.dot(normal) + _SLOW
        area = math.pi * sqrt(size / seen)
        largest = math.pi * high * middle
        volume = 4.0 / 3.0 * math.pi * s[0] * s[1] * s[2]
        # lift normal to the flow, and by turning
        circulation = normal.cross(u) * (kutta * self.density * (seen / (speed * size)) * area)
        lift = circulation.cross(u) + w.cross(u) * (magnus * self.density * volume)
        mean = 2.0 / 3.0 * sum(s)
        drag = (3.0 * math.pi * mean) * self.viscosity + self.density * speed * (
            blunt * area + slender * (largest - area)
        )
        most = 8.0 / 15.0 * math.pi * middle * high**4
        parts = []
        for i, rate in enumerate(w):
            own = 8.0 / 15.0 * math.pi * s[i] * max(s[(i + 1) % 3], s[(i + 2) % 3]) ** 4
            parts.append(rate * (angular * own + slender * (most - own)))
        resisting = Vec3(*parts)
        turning = (math.pi * mean**3) * self.viscosity + self.density * sqrt(resisting.dot(resisting) + _SLOW)
        inertia, mass = Vec3(*self.added_mass[:3]), Vec3(*self.added_mass[3:])
        momentum = Vec3(mass.x * u.x, mass.y * u.y, mass.z * u.z)
        spin = Vec3(inertia.x * w.x, inertia.y * w.y, inertia.z * w.z)
        moment = momentum.cross(u) + spin.cross(w) - w * turning
        return moment, lift + momentum.cross(w) - u * drag
