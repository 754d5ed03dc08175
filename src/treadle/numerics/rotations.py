"""Rotations of many vectors at once."""

from __future__ import annotations

import numpy as np

__all__ = ["rotation_matrices", "rotation_vectors"]


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


def rotation_vectors(matrices: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3) in rad of matrices (n, 3, 3), by the quaternion's largest component."""
    m = matrices
    diagonal = np.einsum("nii->ni", m)
    trace = diagonal.sum(axis=1)
    # four times the products of every component of the quaternion with the others, one row for each
    products = np.empty((len(m), 4, 4))
    products[:, 0, 0] = 1.0 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        products[:, i + 1, i + 1] = 1.0 + 2.0 * diagonal[:, i] - trace
        products[:, 0, i + 1] = products[:, i + 1, 0] = m[:, k, j] - m[:, j, k]
        products[:, j + 1, k + 1] = products[:, k + 1, j + 1] = m[:, k, j] + m[:, j, k]
    largest = np.einsum("nii->ni", products).argmax(axis=1)
    q = products[np.arange(len(m)), largest]
    q = q / np.linalg.norm(q, axis=1, keepdims=True) * np.where(q[:, :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(sine, q[:, 0])
    scale = np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0)
    return scale[:, None] * q[:, 1:]
