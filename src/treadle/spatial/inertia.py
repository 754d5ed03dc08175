"""Rigid-body and articulated-body inertias. Featherstone (2008), sections 2.13 and 7.1."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.spatial.matrix import Mat3
from treadle.spatial.motion import Force, Motion
from treadle.spatial.transform import Transform
from treadle.spatial.vector import Vec3

__all__ = ["ArticulatedInertia", "Inertia"]


class Inertia:
    """Inertia of a rigid body about its frame's origin.

    `mass` m; `moment` h = m c with c the centre of mass; `rotational` the 3 x 3 inertia about the
    origin, I_o = I_c - m skew(c) skew(c). `added` is what a fluid adds to it (added mass), if there is any:
    an inertia of its own in every direction, without a weight.
    """

    __slots__ = ("added", "mass", "moment", "rotational")

    def __init__(
        self, mass: Scalar, moment: Vec3, rotational: Mat3, added: ArticulatedInertia | None = None
    ) -> None:
        self.mass = mass
        self.moment = moment
        self.rotational = rotational
        self.added = added

    @classmethod
    def zero(cls) -> Inertia:
        return cls(0.0, Vec3(), Mat3.zero())

    @classmethod
    def at_center(cls, mass: Scalar, center: Vec3, rotational: Mat3) -> Inertia:
        """From mass, centre of mass and rotational inertia about the centre of mass (body axes)."""
        return cls(mass, center * mass, rotational + _point_inertia(center, center * mass))

    def __add__(self, other: Inertia) -> Inertia:
        added = self.added if other.added is None else other.added
        if self.added is not None and other.added is not None:
            added = self.added + other.added
        return Inertia(
            self.mass + other.mass, self.moment + other.moment, self.rotational + other.rotational, added
        )

    def apply(self, motion: Motion) -> Force:
        """I v: momentum of a body that moves with v, and of the fluid that moves along."""
        w, v, h = motion.angular, motion.linear, self.moment
        momentum = Force(self.rotational.apply(w) + h.cross(v), v * self.mass - h.cross(w))
        return momentum if self.added is None else momentum + self.added.apply(motion)

    def to_parent(self, X_PB: Transform) -> Inertia:
        """The same inertia expressed in the parent frame P.

        I' = R I R^T - p~ h~' - (h'~ + m p~) p~ with h' = R h and the new moment h' + m p.
        """
        R, p = X_PB.rotation, X_PB.translation
        rotated = R.apply(self.moment)
        moment = rotated + p * self.mass
        shift = _product_inertia(p, rotated) + _product_inertia(moment, p)
        added = None if self.added is None else self.added.to_parent(X_PB)
        return Inertia(self.mass, moment, (self.rotational.rotated(R) + shift).symmetric(), added)


class ArticulatedInertia:
    """Symmetric 6 x 6 inertia [[angular, coupling], [coupling^T, linear]] in blocks of 3 x 3."""

    __slots__ = ("angular", "coupling", "linear")

    def __init__(self, angular: Mat3, coupling: Mat3, linear: Mat3) -> None:
        self.angular = angular
        self.coupling = coupling
        self.linear = linear

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        rigid = cls(inertia.rotational, Mat3.skew(inertia.moment), Mat3.identity(inertia.mass))
        return rigid if inertia.added is None else rigid + inertia.added

    @classmethod
    def of_matrix(cls, rows: Sequence[Sequence[Scalar]]) -> ArticulatedInertia:
        """From a symmetric 6 x 6 matrix, angular part first."""
        blocks = [Mat3.of([row[j : j + 3] for row in rows[i : i + 3]]) for i, j in ((0, 0), (0, 3), (3, 3))]
        return cls(*blocks)

    def to_matrix(self) -> list[list[Scalar]]:
        """The 6 x 6 matrix, angular part first."""
        upper = [[*a, *b] for a, b in zip(self.angular.rows, self.coupling.rows, strict=True)]
        lower = [[*a, *b] for a, b in zip(self.coupling.T.rows, self.linear.rows, strict=True)]
        return [*upper, *lower]

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            (self.angular + other.angular).symmetric(),
            self.coupling + other.coupling,
            (self.linear + other.linear).symmetric(),
        )

    def apply(self, motion: Motion) -> Force:
        return Force(
            self.angular.apply(motion.angular) + self.coupling.apply(motion.linear),
            self.coupling.apply_transposed(motion.angular) + self.linear.apply(motion.linear),
        )

    def minus_outer(self, a: Force, b: Force) -> ArticulatedInertia:
        """I - a b^T, where a and b are parallel in the sense that the result is symmetric."""
        return ArticulatedInertia(
            (self.angular - Mat3.outer(a.angular, b.angular)).symmetric(),
            self.coupling - Mat3.outer(a.angular, b.linear),
            (self.linear - Mat3.outer(a.linear, b.linear)).symmetric(),
        )

    def without(self, axis: Motion) -> ArticulatedInertia:
        """The same inertia, known to vanish along a motion: exact zeros where that is a coordinate axis."""
        values = list(axis)
        if values.count(0.0) != 5 or not all(isinstance(x, float) for x in values):
            return self
        k = next(i for i, x in enumerate(values) if x != 0.0)
        if k < 3:
            return ArticulatedInertia(self.angular.cleared(k, k), self.coupling.cleared(k, None), self.linear)
        return ArticulatedInertia(
            self.angular, self.coupling.cleared(None, k - 3), self.linear.cleared(k - 3, k - 3)
        )

    def to_parent(self, X_PB: Transform) -> ArticulatedInertia:
        """The same inertia expressed in the parent frame P (Featherstone's X^T I X)."""
        R, p = X_PB.rotation, X_PB.translation
        angular, linear = self.angular.rotated(R), self.linear.rotated(R)
        coupling = R @ self.coupling @ R.T
        # shift by p:  B' = B + p~ M ;  A' = A + p~ B^T - B' p~
        shifted = coupling + _skew_times(p, linear)
        moved = angular + _skew_times(p, coupling.T) - _times_skew(shifted, p)
        return ArticulatedInertia(moved.symmetric(), shifted, linear)


def _skew_times(p: Vec3, matrix: Mat3) -> Mat3:
    """skew(p) M."""
    a, b, c = matrix.rows
    return Mat3(c * p.y - b * p.z, a * p.z - c * p.x, b * p.x - a * p.y)


def _times_skew(matrix: Mat3, p: Vec3) -> Mat3:
    """M skew(p)."""
    return Mat3(*[row.cross(p) for row in matrix.rows])


def _product_inertia(a: Vec3, b: Vec3) -> Mat3:
    """-skew(a) skew(b) = (a . b) 1 - b a^T."""
    return Mat3(
        Vec3(a.y * b.y + a.z * b.z, -(a.y * b.x), -(a.z * b.x)),
        Vec3(-(a.x * b.y), a.x * b.x + a.z * b.z, -(a.z * b.y)),
        Vec3(-(a.x * b.z), -(a.y * b.z), a.x * b.x + a.y * b.y),
    )


def _point_inertia(center: Vec3, moment: Vec3) -> Mat3:
    return _product_inertia(center, moment).symmetric()
