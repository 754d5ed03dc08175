"""Free joint: a body that floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.graph import Scalar
from treadle.joints.ball import rotation_midpoint_covector, rotation_tangent_rate, unit_quaternion
from treadle.joints.joint import Closure, Joint, apart, turned_by
from treadle.spatial import Motion, Quaternion, Transform, Vec3

__all__ = ["Free"]


class Free(Joint):
    """q = (w, x, y, z, px, py, pz); v = (turning rate in body axes, velocity of the origin in parent axes).

    S = ((1, 0), (0, R^T)). With the linear velocity in the parent's axes dp/dt is simply v, and a
    stepped free flight keeps its linear momentum.
    """

    kind = "free"
    positions = ("w", "x", "y", "z", "px", "py", "pz")
    velocities = ("rate_x", "rate_y", "rate_z", "speed_x", "speed_y", "speed_z")
    position_units = ("1", "1", "1", "1", "m", "m", "m")
    velocity_units = ("rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s")

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Quaternion(*q[:4]).matrix(), Vec3(*q[4:]))

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        turning = [Motion(e, Vec3()) for e in (Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0))]
        return turning + [Motion(Vec3(), row) for row in Quaternion(*q[:4]).matrix().rows]

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        velocity_B = Quaternion(*q[:4]).matrix().apply_transposed(Vec3(*v[3:]))
        return Motion(Vec3(), velocity_B.cross(Vec3(*v[:3])))

    def neutral(self) -> list[float]:
        return [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return [*Quaternion(*q[:4]).rate(Vec3(*v[:3])), *v[3:]]

    def integrate(self, q: Sequence[Scalar], delta: Sequence[Scalar]) -> list[Scalar]:
        turned = (Quaternion(*q[:4]) @ Quaternion.exp(Vec3(*delta[:3]))).renormalized()
        return [*turned, *[a + b for a, b in zip(q[4:], delta[3:], strict=True)]]

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
        turn = (Quaternion(*q0[:4]).conjugate() @ Quaternion(*q1[:4])).log()
        return [*turn, *[b - a for a, b in zip(q0[4:], q1[4:], strict=True)]]

    def tangent_rate(self, delta: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return [*rotation_tangent_rate(Vec3(*delta[:3]), Vec3(*v[:3])), *v[3:]]

    def midpoint_covector(self, delta: Sequence[Scalar], g: Sequence[Scalar]) -> list[Scalar]:
        return [*rotation_midpoint_covector(Vec3(*delta[:3]), Vec3(*g[:3])), *g[3:]]

    def normalize(self, q: Sequence[float]) -> list[float]:
        return [*unit_quaternion(q[:4]), *q[4:]]

    def sample(self, rng: np.random.Generator) -> list[float]:
        return [*unit_quaternion(rng.standard_normal(4).tolist()), *rng.uniform(-1.0, 1.0, 3).tolist()]

    def closure(self, P: Transform, S: Transform) -> Closure:
        return [], []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return [*turned_by(P, S), *apart(P, S, (Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0)))]
