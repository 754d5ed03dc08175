"""What every joint type answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from treadle.graph import Scalar, atan2, cos, hold, sin
from treadle.spatial import Mat3, Motion, Transform, Vec3

__all__ = [
    "Closure", "Joint", "Slip", "across", "aligned", "apart", "rotation_about", "turn_about", "turned_by",
    "unit",
]  # fmt: skip


#: Lengths and sines that vanish where a loop is closed.
Closure = tuple[list[Scalar], list[Scalar]]


class Slip(NamedTuple):
    """A velocity that a joint prevents without preventing a position, as rolling without slipping does.

    It is that of the successor's material point at `point` against the predecessor's, along the unit vector
    `direction`; both are in the axes that the joint's frames are given in.
    """

    direction: Vec3
    point: Vec3


_X, _Y, _Z = Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0)


class Joint(ABC):
    """A joint between a frame J fixed in the parent and the body frame B, with `nv` freedoms.

    Velocities are expressed through a motion subspace S(q) in body coordinates: v_J = S(q) v. For
    most joints the position q is as long as the velocity v and dq/dt = v; joints on a group (ball,
    free) override `rate`, `integrate`, `difference` and `tangent_rate`.
    """

    kind: ClassVar[str]
    #: names and units of the positions and velocities, in order
    positions: ClassVar[tuple[str, ...]]
    velocities: ClassVar[tuple[str, ...]]
    position_units: ClassVar[tuple[str, ...]]
    velocity_units: ClassVar[tuple[str, ...]]
    #: how many of the motions that it prevents are velocities alone, see `slips`
    slip_count: ClassVar[int] = 0

    @property
    def nq(self) -> int:
        return len(self.positions)

    @property
    def nv(self) -> int:
        return len(self.velocities)

    @property
    def prevented(self) -> int:
        """How many relative motions of the two bodies it prevents."""
        return 6 - self.nv

    @abstractmethod
    def transform(self, q: Sequence[Scalar]) -> Transform:
        """Pose X_JB of the body in the joint frame."""

    @abstractmethod
    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        """Columns of S(q), in body coordinates."""

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """Velocity-product acceleration (dS/dt) v, in body coordinates."""
        return Motion.zero()

    def neutral(self) -> list[float]:
        """The position at which X_JB is the identity."""
        return [0.0] * self.nq

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """dq/dt."""
        return list(v)

    def integrate(self, q: Sequence[Scalar], delta: Sequence[Scalar]) -> list[Scalar]:
        """The position reached from q by the tangent step delta (velocity times time)."""
        return [a + b for a, b in zip(q, delta, strict=True)]

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
        """The tangent step from q0 to q1, the inverse of `integrate`."""
        return [b - a for a, b in zip(q0, q1, strict=True)]

    def tangent_rate(self, delta: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """d(delta)/dt of a position integrate(q0, delta) that moves with velocity v."""
        return list(v)

    def closure(self, P: Transform, S: Transform) -> Closure:
        """Numbers that vanish where P X_J(q) = S for some q, one per relative motion that it prevents.

        P and S are the joint's frame in the predecessor and in the successor, both in the same axes. The
        numbers are lengths (m), and sines of angles.
        """
        raise NotImplementedError(f"a {self.kind} joint cannot close a loop")

    def slips(self, P: Transform, S: Transform) -> list[Slip]:
        """Velocities that vanish although no position does (nonholonomic constraints)."""
        return []

    def coordinates(self, P: Transform, S: Transform) -> list[Scalar]:
        """What its velocities are the rates of, as measured between the frames of a closed loop.

        For most joints that is the position q with P X_J(q) = S, angles between -pi and pi; for a turn in
        space it is zero at every position, and only its rate has a meaning.
        """
        raise NotImplementedError(f"the position of a {self.kind} joint cannot be measured")

    def midpoint_covector(self, delta: Sequence[Scalar], g: Sequence[Scalar]) -> list[Scalar]:
        """The force g at the middle of a tangent step, as a force at its end (see `variational`)."""
        return list(g)

    def normalize(self, q: Sequence[float]) -> list[float]:
        """The nearest valid position (unit quaternions); raises ValueError where there is none."""
        return list(q)

    def sample(self, rng: np.random.Generator) -> list[float]:
        """A random position, angles in [-pi, pi] and lengths in [-1, 1]."""
        spans = [np.pi if unit == "rad" else 1.0 for unit in self.position_units]
        return [float(rng.uniform(-s, s)) for s in spans]


def apart(P: Transform, S: Transform, axes: Sequence[Vec3] | None = None) -> list[Scalar]:
    """Distance of two origins along all directions, or along axes of the first frame."""
    gap = S.translation - P.translation
    return list(gap) if axes is None else [P.rotation.apply(axis).dot(gap) for axis in axes]


def aligned(P: Transform, S: Transform, axis: Vec3) -> list[Scalar]:
    """Sines of the angles between an axis of the second frame and the same axis of the first."""
    turned = S.rotation.apply(axis)
    return [P.rotation.apply(other).dot(turned) for other in across(axis)]


def turn_about(P: Transform, S: Transform, axis: Vec3) -> Scalar:
    """Angle (rad) from the first frame to the second about an axis that they share."""
    u, w = across(axis)
    turned = S.rotation.apply(u)
    return atan2(P.rotation.apply(w).dot(turned), P.rotation.apply(u).dot(turned))


def turned_by(P: Transform, S: Transform) -> list[Scalar]:
    """Zeros whose rates are those at which the second frame turns in the first, in axes of the second."""
    axes = [P.rotation.apply_transposed(S.rotation.apply(e)) for e in (_X, _Y, _Z)]
    held = [Vec3(*[hold(x) for x in axis]) for axis in axes]
    return [0.5 * (held[j].dot(axes[i]) - held[i].dot(axes[j])) for i, j in ((1, 2), (2, 0), (0, 1))]


def across(axis: Vec3) -> tuple[Vec3, Vec3]:
    """Unit vectors u, w across a unit axis, with u x w along it; x and y themselves for z."""
    n = np.array(list(axis), dtype=float)
    # start from the coordinate axis after the largest component, cyclically: z -> x, x -> y, y -> z
    start = np.roll(np.eye(3), 1, axis=1)[int(np.argmax(np.abs(n)))]
    u = start - n * (n @ start)
    u /= np.linalg.norm(u)
    return unit(u.tolist()), unit(np.cross(n, u).tolist())


def rotation_about(axis: Vec3, angle: Scalar) -> Mat3:
    """Rotation by an angle (rad) about a unit axis."""
    s, c = sin(angle), cos(angle)
    x, y, z = axis
    t = 1.0 - c
    return Mat3(
        Vec3(_diagonal(x, t, c), t * (x * y) - s * z, t * (x * z) + s * y),
        Vec3(t * (x * y) + s * z, _diagonal(y, t, c), t * (y * z) - s * x),
        Vec3(t * (x * z) - s * y, t * (y * z) + s * x, _diagonal(z, t, c)),
    )


def _diagonal(a: Scalar, t: Scalar, c: Scalar) -> Scalar:
    """a^2 (1 - c) + c, exactly 1 and c along and across a coordinate axis."""
    if a == 0.0:
        return c
    return 1.0 if a in (1.0, -1.0) else t * (a * a) + c


def unit(axis: Sequence[float]) -> Vec3:
    """The axis at unit length, with rounding noise next to 0 and 1 removed; ValueError if it is zero."""
    return _unit(*axis)


@lru_cache(maxsize=1024)
def _unit(*axis: float) -> Vec3:
    vector = np.array([float(x) for x in axis])
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not np.isfinite(length) or length < 1e-12:
        raise ValueError(f"an axis needs three numbers that are not all zero, not {list(axis)}")
    vector = vector / length
    for value in (0.0, 1.0, -1.0):
        vector[np.abs(vector - value) < 1e-14] = value
    return Vec3(*vector.tolist())
