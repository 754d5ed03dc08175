"""The forms in which a description may give its numbers, each turned into one form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "freedoms", "inertia_matrix", "listed", "number", "plain", "rotation_matrix", "rpy", "snapped_rotation",
    "vector",
]  # fmt: skip

#: Entries of a rotation this near to 0 and 1 are noise: right angles written with twelve digits.
_NOISE = 2e-11


def rpy(roll: float, pitch: float, yaw: float) -> tuple[tuple[float, ...], ...]:
    """Rotation matrix from roll, pitch, yaw (rad) about the fixed axes x, then y, then z."""
    (sr, sp, sy), (cr, cp, cy) = [[f(a) for a in (roll, pitch, yaw)] for f in (math.sin, math.cos)]
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def plain(value: Any) -> Any:
    """Numbers as floats and sequences (numpy's too) as tuples; anything else as it is."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def number(value: Any) -> float:
    """One finite number; ValueError otherwise."""
    array = _numbers(value)
    if array.shape != ():
        raise ValueError(f"needs one number, not {value!r}")
    return float(array)


def vector(value: Any, length: int = 3) -> np.ndarray:
    """Finite numbers, `length` of them; ValueError otherwise."""
    array = _numbers(value)
    if array.shape != (length,):
        raise ValueError(f"needs {length} numbers, not {value!r}")
    return array


def inertia_matrix(value: Any) -> np.ndarray:
    """3 x 3 inertia from nine numbers, from six (ixx, iyy, izz, ixy, ixz, iyz) or three principal ones."""
    array = _numbers(value)
    if array.shape == (3, 3):
        return array
    if array.shape == (3,):
        return np.diag(array)
    if array.shape == (6,):
        xx, yy, zz, xy, xz, yz = array
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    raise ValueError(
        f"needs a 3 x 3 matrix, six numbers (ixx, iyy, izz, ixy, ixz, iyz) or three, not {value!r}"
    )


def rotation_matrix(value: Any) -> np.ndarray:
    """Rotation matrix from a 3 x 3 matrix or a quaternion (w, x, y, z), rounding noise removed."""
    array = _numbers(value)
    if array.shape == (4,):
        array = _quaternion_matrix(array)
    if array.shape != (3, 3):
        raise ValueError(f"needs a 3 x 3 rotation matrix or a quaternion (w, x, y, z), not {value!r}")
    if np.linalg.det(array) < 0.0 or _skewness(array) > 1e-6:
        raise ValueError(f"needs a rotation matrix, orthonormal and right-handed, not {value!r}")
    if _skewness(array) > 4 * _NOISE:
        # a matrix typed with few digits: take the nearest rotation
        left, _, right = np.linalg.svd(array)
        array = left @ right
    return snapped_rotation(array)


def snapped_rotation(rotation: np.ndarray) -> np.ndarray:
    """The rotation with entries next to 0 and 1 made exact, so that compiled code can drop them."""
    snapped = rotation.copy()
    for target in (0.0, 1.0, -1.0):
        snapped[np.abs(rotation - target) < _NOISE] = target
    return snapped if _skewness(snapped) < 4 * _NOISE else rotation


def freedoms(value: Any, count: int, absent: float) -> tuple[float, ...]:
    """One number per freedom from one number for all or a sequence; None stands for `absent`."""
    value = plain(value)
    items = value if isinstance(value, tuple) else (value,) * count
    if len(items) != count:
        raise ValueError(f"needs one number or {count} of them, not {value!r}")
    numbers = [absent if item is None else item for item in items]
    try:
        result = tuple(float(x) for x in numbers)
    except (TypeError, ValueError):
        raise ValueError(f"needs numbers, not {value!r}") from None
    if any(math.isnan(x) for x in result):
        raise ValueError(f"needs numbers, not {value!r}")
    return result


def listed(names: Sequence[str]) -> str:
    """The first few names, quoted, and how many there are if there are more."""
    shown = ", ".join(f'"{name}"' for name in names[:6])
    return shown if len(names) <= 6 else f"{shown}, ... ({len(names)} in all)"


def _numbers(value: Any) -> np.ndarray:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"needs numbers, not {value!r}") from None
    if not np.isfinite(array).all():
        raise ValueError(f"needs finite numbers, not {value!r}")
    return array


def _quaternion_matrix(quaternion: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(quaternion)
    if length < 1e-8:
        raise ValueError("needs a quaternion (w, x, y, z) that is not zero")
    w, x, y, z = quaternion / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _skewness(matrix: np.ndarray) -> float:
    """How far the rows are from orthonormal."""
    return float(np.abs(matrix @ matrix.T - np.eye(3)).max())
