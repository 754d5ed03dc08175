"""Ball joint: any rotation, as a unit quaternion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from treadle.graph import Scalar
from treadle.joints.joint import Closure, Joint, apart, turned_by
from treadle.spatial import Motion, Quaternion, Transform, Vec3

__all__ = ["Ball", "rotation_midpoint_covector", "rotation_tangent_rate", "unit_quaternion"]


class Ball(Joint):
    """q = (w, x, y, z); v = angular velocity in the body frame; S = (1, 0)."""

    kind = "ball"
    positions = ("w", "x", "y", "z")
    velocities = ("rate_x", "rate_y", "rate_z")
    position_units = ("1", "1", "1", "1")
    velocity_units = ("rad/s", "rad/s", "rad/s")

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Quaternion(*q).matrix(), Vec3())

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        return [Motion(e, Vec3()) for e in (Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0))]

    def neutral(self) -> list[float]:
        return [1.0, 0.0, 0.0, 0.0]

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return list(Quaternion(*q).rate(Vec3(*v)))

    def integrate(self, q: Sequence[Scalar], delta: Sequence[Scalar]) -> list[Scalar]:
        return list((Quaternion(*q) @ Quaternion.exp(Vec3(*delta))).renormalized())

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
        return list((Quaternion(*q0).conjugate() @ Quaternion(*q1)).log())

    def tangent_rate(self, delta: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return list(rotation_tangent_rate(Vec3(*delta), Vec3(*v)))

    def midpoint_covector(self, delta: Sequence[Scalar], g: Sequence[Scalar]) -> list[Scalar]:
        return list(rotation_midpoint_covector(Vec3(*delta), Vec3(*g)))

    def normalize(self, q: Sequence[float]) -> list[float]:
        return unit_quaternion(q)

    def sample(self, rng: np.random.Generator) -> list[float]:
        return unit_quaternion(rng.standard_normal(4).tolist())

    def closure(self, P: Transform, S: Transform) -> Closure:
        return apart(P, S), []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        return turned_by(P, S)


def rotation_tangent_rate(delta: Vec3, omega: Vec3) -> Vec3:
    """Rate of the rotation vector delta whose rotation turns with body-frame angular velocity omega.

    omega + delta x omega / 2 + c delta x (delta x omega) with c = 1/t^2 - cot(t/2)/(2 t), t = |delta|,
    as a series in t^2 that is exact to rounding for steps up to 1.8 rad.
    """
    square = delta.dot(delta)
    c: Scalar = 0.0
    for coefficient in reversed(_series(14)):
        c = c * square + coefficient
    turned = delta.cross(omega)
    return omega + turned * 0.5 + delta.cross(turned) * c


def rotation_midpoint_covector(delta: Vec3, g: Vec3) -> Vec3:
    """g - u x g with u = tan(|delta| / 4) along delta.

    With T the inverse of the tangent rate's matrix, (T(delta / 2) T(delta)^-1)^T g; since exp(delta) is
    exp(delta / 2) twice, that product is 2 (1 + R^T)^-1 of the half rotation R, whose Cayley vector is u.
    """
    w, x, y, z = Quaternion.exp(delta * 0.5)
    return g - Vec3(x / w, y / w, z / w).cross(g)


@cache
def _series(count: int) -> list[float]:
    """|B_2k| / (2k)! for k = 1, 2, ..., with Bernoulli's numbers B."""
    from fractions import Fraction

    numbers = [Fraction(1)]
    for m in range(1, 2 * count + 1):
        numbers.append(-sum(math.comb(m + 1, k) * b for k, b in enumerate(numbers)) / Fraction(m + 1))
    return [float(abs(numbers[2 * k]) / math.factorial(2 * k)) for k in range(1, count + 1)]


def unit_quaternion(q: Sequence[float]) -> list[float]:
    """The quaternion at unit length; ValueError if it has none."""
    length = math.sqrt(sum(x * x for x in q))
    if not math.isfinite(length) or length < 1e-8:
        raise ValueError(f"a quaternion (w, x, y, z) must not be zero, not {list(q)}")
    # one that has unit length up to rounding stays as it is, so that setting it again changes no bit
    return list(q) if abs(length - 1.0) < 1e-12 else [x / length for x in q]
