"""Rotations of many vectors at once."""

from __future__ import annotations

import numpy as np

__all__ = ["rotation_matrices"]


def rotation_matrices(vectors: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) of rotation vectors (n, 3) in rad, by Rodrigues' formula.

    With t the angle and K the cross product: 1 + sin(t)/t K + (1 - cos t)/t^2 K^2, whose second factor is
    (sin(t/2) / (t/2))^2 / 2. NumPy's sinc is that quotient without a division by zero.
    """
    t = np.sqrt((vectors**2).sum(axis=1)) / np.pi
    K = np.zeros((len(vectors), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[:, k, j], K[:, j, k] = vectors[:, i], -vectors[:, i]
    return np.eye(3) + np.sinc(t)[:, None, None] * K + 0.5 * (np.sinc(0.5 * t) ** 2)[:, None, None] * (K @ K)
