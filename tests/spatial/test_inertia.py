"""Inertias against their 6 x 6 matrices."""

import numpy as np
import pytest
from hypothesis import given

from tests.spatial.arrays import (
    adjoint,
    dense,
    inertia_matrix,
    inertias,
    motions,
    rotations,
    seeds,
    skew,
    transforms,
    vectors,
)
from treadle.spatial import ArticulatedInertia, Force, Inertia, Mat3, Motion

CLOSE = {"atol": 1e-11}


def articulated_matrix(inertia: ArticulatedInertia) -> np.ndarray:
    B = dense(inertia.coupling)
    return np.block([[dense(inertia.angular), B], [B.T, dense(inertia.linear)]])


def moved(matrix: np.ndarray, X) -> np.ndarray:
    """The same inertia in the parent: A^-T I A^-1 with A from child to parent."""
    A = np.linalg.inv(adjoint(X))
    return A.T @ matrix @ A


@given(inertias(), motions)
def test_momentum(I, v):
    np.testing.assert_allclose(dense(I.apply(v)), inertia_matrix(I) @ dense(v), **CLOSE)
    assert isinstance(I.apply(v), Force)


@given(inertias(), transforms)
def test_to_parent_is_a_congruence(I, X):
    result = inertia_matrix(I.to_parent(X))
    np.testing.assert_allclose(result, moved(inertia_matrix(I), X), **CLOSE)
    np.testing.assert_array_equal(result, result.T)


@given(inertias(), transforms, motions)
def test_kinetic_energy_does_not_depend_on_the_frame(I, X, v):
    outside = X.motion_to_parent(v)
    np.testing.assert_allclose(
        outside.dot(I.to_parent(X).apply(outside)), v.dot(I.apply(v)), rtol=1e-10, atol=1e-10
    )


@given(inertias(), inertias())
def test_sum(a, b):
    np.testing.assert_allclose(inertia_matrix(a + b), inertia_matrix(a) + inertia_matrix(b), **CLOSE)
    np.testing.assert_allclose(inertia_matrix(a + Inertia.zero()), inertia_matrix(a), **CLOSE)


@given(seeds, vectors, rotations)
def test_at_center_is_the_parallel_axis_theorem(rng, center, R):
    mass, rotational = rng.uniform(0.5, 2.0), dense(R) @ np.diag([0.5, 0.6, 0.7]) @ dense(R).T
    inertia = Inertia.at_center(mass, center, Mat3.of(rotational))
    c = skew(center)
    np.testing.assert_allclose(dense(inertia.rotational), rotational - mass * c @ c, **CLOSE)
    np.testing.assert_allclose(dense(inertia.moment), mass * dense(center), **CLOSE)
    assert (np.linalg.eigvalsh(inertia_matrix(inertia)) > 0.0).all()


# articulated inertias


@given(inertias(), inertias(), transforms, motions)
def test_articulated_inertia_of_rigid_bodies(a, b, X, v):
    A, B = ArticulatedInertia.of(a), ArticulatedInertia.of(b)
    np.testing.assert_allclose(articulated_matrix(A), inertia_matrix(a), **CLOSE)
    np.testing.assert_allclose(articulated_matrix(A + B), inertia_matrix(a + b), **CLOSE)
    np.testing.assert_allclose(dense(A.apply(v)), inertia_matrix(a) @ dense(v), **CLOSE)
    np.testing.assert_allclose(articulated_matrix(A.to_parent(X)), inertia_matrix(a.to_parent(X)), **CLOSE)


@given(inertias(), transforms, motions)
def test_articulated_inertia_behind_a_joint(I, X, S):
    """I - U U^T / D, no longer that of a rigid body, moves to the parent by the same congruence."""
    norm = np.linalg.norm(dense(S))
    S = S * (1.0 / norm) if norm > 1e-3 else Motion.of([0.0, 0.6, 0.0, 0.0, 0.0, 0.8])
    A = ArticulatedInertia.of(I)
    U = A.apply(S)
    reduced = A.minus_outer(U * (1.0 / S.dot(U)), U)
    matrix = inertia_matrix(I)
    u = matrix @ dense(S)
    expected = matrix - np.outer(u, u) / (dense(S) @ u)
    np.testing.assert_allclose(articulated_matrix(reduced), expected, **CLOSE)
    np.testing.assert_allclose(dense(reduced.apply(S)), 0.0, **CLOSE)
    np.testing.assert_allclose(articulated_matrix(reduced.to_parent(X)), moved(expected, X), **CLOSE)


@pytest.mark.parametrize("k", range(6))
@given(I=inertias())
def test_without_clears_what_vanishes_along_an_axis(k, I):
    S = Motion.of(np.eye(6)[k].tolist())
    A = ArticulatedInertia.of(I)
    U = A.apply(S)
    reduced = A.minus_outer(U * (1.0 / S.dot(U)), U)
    cleared = articulated_matrix(reduced.without(S))
    np.testing.assert_allclose(cleared, articulated_matrix(reduced), **CLOSE)
    assert (cleared[k] == 0.0).all()
    assert (cleared[:, k] == 0.0).all()


@given(inertias())
def test_without_a_general_axis_changes_nothing(I):
    A = ArticulatedInertia.of(I)
    assert A.without(Motion.of([0.6, 0.8, 0.0, 0.0, 0.0, 0.0])) is A
