"""Directions of beams in the axes of a sensor: x ahead, y left, z up."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["around", "cone", "directions", "split_pose"]

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))


def directions(azimuth: ArrayLike, elevation: ArrayLike) -> np.ndarray:
    """Unit vectors (..., 3) at azimuths (rad, from x to y) and elevations (rad, from the xy plane to z)."""
    a, e = np.broadcast_arrays(np.asarray(azimuth, dtype=float), np.asarray(elevation, dtype=float))
    return np.stack([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)], axis=-1)


def cone(half_angle: float, count: int) -> np.ndarray:
    """Unit vectors (count, 3) spread evenly over the cone about x, the first one along x."""
    k = np.arange(count)
    # equal solid angles along a spiral
    cosine = 1.0 - (1.0 - np.cos(half_angle)) * k / max(count - 1, 1)
    sine, turn = np.sqrt(1.0 - cosine**2), _GOLDEN * k
    return np.stack([cosine, sine * np.cos(turn), sine * np.sin(turn)], axis=-1)


def around(axes: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    """A pattern (m, 3) about x turned to each of the unit vectors (n, 3): (n, m, 3)."""
    x = axes
    # any vector that is not along x
    helper = np.where(np.abs(x[:, 2:3]) < 0.9, [[0.0, 0.0, 1.0]], [[0.0, 1.0, 0.0]])
    y = np.cross(helper, x)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    z = np.cross(x, y)
    a, b, c = pattern.T
    return x[:, None] * a[:, None] + y[:, None] * b[:, None] + z[:, None] * c[:, None]


def split_pose(pose: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (..., 3, 3) and positions (..., 3) of poses (..., 4, 4)."""
    X = np.asarray(pose, dtype=float)
    return X[..., :3, :3], X[..., :3, 3]
