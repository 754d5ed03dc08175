"""Poses from the numbers of a description, with the rounding noise removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.model.parts import IDENTITY
from treadle.model.values import rotation_matrix, snapped_rotation, vector
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["clean", "clean_vector", "is_identity", "placement_of"]


def placement_of(position: Any, rotation: Any) -> Transform:
    """The pose that a position (m) and a rotation (matrix or quaternion) describe."""
    # a comparison costs far less than the checks of a matrix, and most frames are not turned
    if isinstance(rotation, tuple) and rotation == IDENTITY:
        return Transform(Mat3.identity(), clean_vector(vector(position)))
    return Transform(Mat3.of(rotation_matrix(rotation).tolist()), clean_vector(vector(position)))


def is_identity(position: Any, rotation: Any) -> bool:
    """Whether they are written as no displacement at all."""
    return (
        isinstance(position, tuple)
        and isinstance(rotation, tuple)
        and (position, rotation) == ((0.0, 0.0, 0.0), IDENTITY)
    )


def clean(transform: Transform) -> Transform:
    """The product of transforms with the noise removed that multiplying brought in."""
    rows = transform.rotation.to_rows()
    if not all(x in (0.0, 1.0, -1.0) for row in rows for x in row):
        rows = snapped_rotation(np.array(rows)).tolist()
    # adding zero turns -0.0 into 0.0
    rotation = Mat3.of([[x + 0.0 for x in row] for row in rows])
    return Transform(rotation, clean_vector(np.array(list(transform.translation))))


def clean_vector(values: np.ndarray) -> Vec3:
    """The vector with components next to zero made exact."""
    return Vec3(*np.where(np.abs(values) < 1e-15, 0.0, values).tolist())
