"""Poses of moving frames between instants at which their poses and velocities are known."""

from __future__ import annotations

import numpy as np

from treadle.numerics.rotations import rotation_matrices, rotation_vectors

__all__ = ["poses_between"]


def poses_between(
    times: np.ndarray, R: np.ndarray, p: np.ndarray, velocity: np.ndarray, when: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (m, frames, 3, 3) and positions (m, frames, 3) at the times `when` (m).

    Known are, at ascending times (k), rotations (k, frames, 3, 3), positions (k, frames, 3) and velocities
    (k, frames, 6), angular first, all in world axes. Between two of these times the path is a cubic Hermite
    curve of the position and of the rotation vector phi in R(t) = exp(phi(t)) R(t_0), with an error of fourth
    order in their distance. Before the first and after the last one velocities stay.
    """
    if len(times) == 1:
        first = np.zeros(len(when), int)
        return _carried(R[first], p[first], velocity[first], when - times[0])
    start = np.clip(np.searchsorted(times, when, side="right") - 1, 0, len(times) - 2)
    length = times[start + 1] - times[start]
    s = (when - times[start]) / length
    turn = _vectors(R[1:] @ np.swapaxes(R[:-1], -1, -2))
    weights = _hermite(s, length)
    phi = _combined(
        weights, 0.0, velocity[start, :, :3], turn[start], _rates(turn, velocity[1:, :, :3])[start]
    )
    place = _combined(weights, p[start], velocity[start, :, 3:], p[start + 1], velocity[start + 1, :, 3:])
    rotation = _rotations(phi) @ R[start]
    outside = (s < 0.0) | (s > 1.0)
    if outside.any():
        end = start[outside] + (s[outside] > 1.0)
        rotation[outside], place[outside] = _carried(
            R[end], p[end], velocity[end], when[outside] - times[end]
        )
    return rotation, place


def _hermite(s: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, ...]:
    """Weights of the values and of the rates at both ends, at shares s of intervals."""
    columns = (2 * s**3 - 3 * s**2 + 1, (s**3 - 2 * s**2 + s) * length, 3 * s**2 - 2 * s**3)
    return tuple(x[:, None, None] for x in (*columns, (s**3 - s**2) * length))


def _combined(weights: tuple[np.ndarray, ...], *parts: np.ndarray | float) -> np.ndarray:
    return sum((w * x for w, x in zip(weights, parts, strict=True)), np.zeros(()))


def _rates(turn: np.ndarray, angular: np.ndarray) -> np.ndarray:
    """Rates of rotation vectors by angular velocities: w - phi x w / 2 + c phi x (phi x w).

    c = (1 - a cot(a)) / (4 a^2) with a = |phi| / 2, and 1/12 at zero.
    """
    a = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    small = a < 1e-3
    a = np.where(small, 1.0, a)
    c = np.where(small, 1.0 / 12.0, (1.0 - a / np.tan(a)) / (4.0 * a * a))
    crossed = np.cross(turn, angular)
    return angular - 0.5 * crossed + c * np.cross(turn, crossed)


def _carried(
    R: np.ndarray, p: np.ndarray, velocity: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rotations and positions some times (m,) later, at constant angular and linear velocity."""
    way = times[:, None, None] * velocity
    return _rotations(way[..., :3]) @ R, p + way[..., 3:]


def _rotations(vectors: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) of rotation vectors (..., 3)."""
    return rotation_matrices(vectors.reshape(-1, 3)).reshape(*vectors.shape, 3)


def _vectors(matrices: np.ndarray) -> np.ndarray:
    """Rotation vectors (..., 3) of matrices (..., 3, 3)."""
    return rotation_vectors(matrices.reshape(-1, 3, 3)).reshape(matrices.shape[:-1])
