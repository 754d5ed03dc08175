"""Rotation matrices of vectors against scipy's, from none to several turns."""

import numpy as np
from scipy.spatial.transform import Rotation

from treadle.numerics.rotations import rotation_matrices


def test_random_vectors():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(500, 3)) * 10.0 ** rng.uniform(-12.0, 1.0, (500, 1))
    found = rotation_matrices(vectors)
    assert np.abs(found - Rotation.from_rotvec(vectors).as_matrix()).max() < 1e-14


def test_no_rotation():
    assert np.array_equal(rotation_matrices(np.zeros((2, 3))), np.tile(np.eye(3), (2, 1, 1)))
