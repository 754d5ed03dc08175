"""The forms in which a description may give its numbers, each turned into one form."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import InputError

__all__ = [
    "freedoms", "inertia_matrix", "listed", "not_json", "number", "path_of", "plain", "plain_json",
    "real_array", "real_numbers", "rotation_matrix", "rpy", "snapped_rotation", "vector",
]  # fmt: skip

#: Entries of a rotation this near to 0 and 1 are noise: right angles written with twelve digits.
_NOISE = 2e-11
#: What rounding leaves of orthonormality.
_ROUNDING = 2e-15

#: Lists in lists: more than this is not meant.
_DEEPEST = 32


def rpy(roll: float, pitch: float, yaw: float) -> tuple[tuple[float, ...], ...]:
    """Rotation matrix from roll, pitch, yaw (rad) about the fixed axes x, then y, then z."""
    real_numbers("rpy", roll=roll, pitch=pitch, yaw=yaw)
    (sr, sp, sy), (cr, cp, cy) = [[f(a) for a in (roll, pitch, yaw)] for f in (math.sin, math.cos)]
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def real_array(value: Any) -> np.ndarray:
    """A new array of floats; TypeError or ValueError for what has no such form, complex numbers included."""
    given = np.asarray(value)
    if given.dtype.kind == "c":
        raise TypeError("complex numbers are not real")
    return np.array(given, dtype=float)


def real_numbers(what: str, **values: Any) -> None:
    """InputError unless all of these are finite real numbers."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise InputError(f"{what}: {name} must be a number, not {value!r}")
        if isinstance(value, np.complexfloating) or not math.isfinite(value):
            raise InputError(f"{what}: {name} must be a finite real number, not {value!r}")


def path_of(value: Any) -> Path:
    """A path from text or an object of `pathlib`, with ~ for the home folder; InputError otherwise."""
    if not isinstance(value, str | os.PathLike) or not str(value) or "\0" in str(value):
        raise InputError(f"the path of a file must be text, such as 'robot.urdf', not {value!r}")
    return Path(value).expanduser()


def plain(value: Any) -> Any:
    """Numbers as floats and sequences (numpy's too) as tuples, also in a dict; anything else as it is."""
    if value is None or type(value) in (float, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def plain_json(value: Any) -> Any:
    """Lists for tuples and numpy's arrays, dicts for mappings; anything else as it is."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain_json(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain_json(item) for name, item in value.items()}
    return value


def not_json(value: Any, depth: int = 0) -> str | None:
    """What in a value JSON cannot say, or None if it can say all of it."""
    if depth > _DEEPEST:
        return "lists and tables nested too deep"
    if isinstance(value, dict):
        if any(not isinstance(name, str) for name in value):
            return "a name that is not text"
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((problem for item in value if (problem := not_json(item, depth + 1))), None)
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    return None if isinstance(value, (str, bool, int, float)) else f"the value {value!r}"


def number(value: Any) -> float:
    """One finite number; ValueError otherwise."""
    if type(value) is float and math.isfinite(value):
        return value
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
    try:
        return _known_rotation(value).copy()
    except TypeError:
        # lists and arrays cannot be looked up
        return _rotation_matrix(value)


@lru_cache(maxsize=1024)
def _known_rotation(value: tuple) -> np.ndarray:
    """That of a tuple: a description that is compiled again asks for the same ones."""
    return _rotation_matrix(value)


def _rotation_matrix(value: Any) -> np.ndarray:
    array = _numbers(value)
    if array.shape == (4,):
        array = _quaternion_matrix(array)
    if array.shape != (3, 3):
        raise ValueError(f"needs a 3 x 3 rotation matrix or a quaternion (w, x, y, z), not {value!r}")
    if np.linalg.det(array) < 0.0 or _skewness(array) > 1e-6:
        raise ValueError(f"needs a rotation matrix, orthonormal and right-handed, not {value!r}")
    if _skewness(array) > _ROUNDING:
        # a matrix typed with few digits: take the nearest rotation
        left, _, right = np.linalg.svd(array)
        array = left @ right
    return snapped_rotation(array)


def snapped_rotation(rotation: np.ndarray) -> np.ndarray:
    """The rotation with entries next to 0 and 1 made exact, so that compiled code can drop them."""
    for tolerance in (_NOISE, _ROUNDING):
        snapped = rotation.copy()
        for target in (0.0, 1.0, -1.0):
            snapped[np.abs(rotation - target) < tolerance] = target
        # a turn by 1e-6 has entries 1 - 5e-13 next to 1e-6: to change only one of them makes it no rotation
        if _skewness(snapped) < _ROUNDING:
            return snapped
    return rotation


def freedoms(value: Any, count: int, absent: float) -> tuple[float, ...]:
    """One number per degree of freedom from one number for all or a sequence; None stands for `absent`."""
    value = plain(value)
    if type(value) is float and not math.isnan(value):
        return (value,) * count
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
    except (TypeError, ValueError, OverflowError):
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
