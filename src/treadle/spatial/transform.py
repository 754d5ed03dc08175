"""Rigid-body transforms."""

from __future__ import annotations

import numpy as np

from treadle.graph import Scalar
from treadle.spatial.matrix import Mat3
from treadle.spatial.motion import Force, Motion
from treadle.spatial.vector import Vec3

__all__ = ["Transform"]


class Transform:
    """Pose `X_PB` of frame B in frame P: rotation R_PB and position p_PB of B's origin."""

    __slots__ = ("rotation", "translation")

    def __init__(self, rotation: Mat3, translation: Vec3) -> None:
        self.rotation = rotation
        self.translation = translation

    @classmethod
    def identity(cls) -> Transform:
        return cls(Mat3.identity(), Vec3())

    @classmethod
    def of(cls, matrix: np.ndarray) -> Transform:
        """From a 4 x 4 homogeneous matrix of floats."""
        return cls(Mat3.of(matrix[:3, :3].tolist()), Vec3(*matrix[:3, 3].tolist()))

    def __matmul__(self, other: Transform) -> Transform:
        """X_PB @ X_BC = X_PC."""
        return Transform(self.rotation @ other.rotation, self.apply_point(other.translation))

    def inverse(self) -> Transform:
        return Transform(self.rotation.T, -self.rotation.apply_transposed(self.translation))

    def apply_point(self, point_B: Vec3) -> Vec3:
        """Coordinates in P of a point given in B."""
        return self.rotation.apply(point_B) + self.translation

    def motion_to_parent(self, motion_B: Motion) -> Motion:
        """A motion vector given in B, in P."""
        angular = self.rotation.apply(motion_B.angular)
        return Motion(angular, self.rotation.apply(motion_B.linear) + self.translation.cross(angular))

    def motion_to_child(self, motion_P: Motion) -> Motion:
        """A motion vector given in P, in B (Featherstone's  X  from parent to child)."""
        linear = motion_P.linear + motion_P.angular.cross(self.translation)
        return Motion(
            self.rotation.apply_transposed(motion_P.angular), self.rotation.apply_transposed(linear)
        )

    def force_to_parent(self, force_B: Force) -> Force:
        """A force vector given in B, in P (Featherstone's  X^T  from child to parent)."""
        linear = self.rotation.apply(force_B.linear)
        return Force(self.rotation.apply(force_B.angular) + self.translation.cross(linear), linear)

    def force_to_child(self, force_P: Force) -> Force:
        """A force vector given in P, in B."""
        angular = force_P.angular - self.translation.cross(force_P.linear)
        return Force(self.rotation.apply_transposed(angular), self.rotation.apply_transposed(force_P.linear))

    def to_matrix(self) -> np.ndarray:
        """Homogeneous matrix, for a transform of floats."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.rotation.to_rows()
        matrix[:3, 3] = list(self.translation)
        return matrix

    def to_list(self) -> list[Scalar]:
        """Rotation row by row, then translation: twelve scalars."""
        return [x for row in self.rotation.to_rows() for x in row] + list(self.translation)
