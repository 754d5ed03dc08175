"""Random spatial quantities, and the dense matrices they stand for."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tests.machines import random_rotation
from treadle.spatial import Force, Inertia, Mat3, Motion, Transform, Vec3

__all__ = [
    "QUARTER_TURNS", "adjoint", "dense", "forces", "inertia_matrix", "inertias", "motions", "numbers",
    "rotations", "seeds", "skew", "transforms", "vectors",
]  # fmt: skip

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)

#: Numbers of order one, zeros among them.
numbers = st.one_of(st.just(0.0), st.floats(-3.0, 3.0).map(lambda x: round(x, 6)))
vectors = st.builds(Vec3, numbers, numbers, numbers)
motions = st.builds(Motion, vectors, vectors)
forces = st.builds(Force, vectors, vectors)

#: The 24 rotations by quarter turns.
_SIGNED = [
    np.eye(3)[list(order)] * signs
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1.0, -1.0), repeat=3)
]
QUARTER_TURNS = [R for R in _SIGNED if np.linalg.det(R) > 0.0]

#: Any rotation, or one by quarter turns.
rotations = st.one_of(seeds.map(random_rotation), st.sampled_from(QUARTER_TURNS)).map(Mat3.of)
transforms = st.builds(Transform, rotations, vectors)


@st.composite
def inertias(draw: st.DrawFn) -> Inertia:
    """Inertia of a body that can exist."""
    rng = draw(seeds)
    R = np.array(draw(rotations).to_rows())
    x, y, z = rng.uniform(0.1, 1.0, 3)
    rotational = R @ np.diag([y + z, x + z, x + y]) @ R.T
    return Inertia.at_center(rng.uniform(0.5, 3.0), draw(vectors), Mat3.of(0.5 * (rotational + rotational.T)))


def dense(value) -> np.ndarray:
    """A vector or matrix as a numpy array."""
    if isinstance(value, Mat3):
        return np.array(value.to_rows(), dtype=float)
    return np.array(list(value), dtype=float)


def skew(a) -> np.ndarray:
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def adjoint(X: Transform) -> np.ndarray:
    """6 x 6 matrix that takes motions in the child to motions in the parent."""
    R = dense(X.rotation)
    return np.block([[R, np.zeros((3, 3))], [skew(X.translation) @ R, R]])


def inertia_matrix(inertia: Inertia) -> np.ndarray:
    """6 x 6 matrix of a rigid-body inertia."""
    h = skew(inertia.moment)
    return np.block([[dense(inertia.rotational), h], [h.T, inertia.mass * np.eye(3)]])
