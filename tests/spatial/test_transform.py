"""Rigid transforms: inverses, composition, and motions and forces in two frames."""

import numpy as np
from hypothesis import given

from tests.spatial.arrays import adjoint, dense, forces, motions, transforms, vectors
from treadle.spatial import Transform

CLOSE = {"atol": 1e-12}


@given(transforms, vectors)
def test_inverse(X, point):
    np.testing.assert_allclose((X @ X.inverse()).to_matrix(), np.eye(4), **CLOSE)
    np.testing.assert_allclose((X.inverse() @ X).to_matrix(), np.eye(4), **CLOSE)
    np.testing.assert_allclose(X.inverse().to_matrix(), np.linalg.inv(X.to_matrix()), **CLOSE)
    np.testing.assert_allclose(dense(X.inverse().apply_point(X.apply_point(point))), dense(point), **CLOSE)


@given(transforms, transforms, vectors)
def test_composition(A, B, point):
    np.testing.assert_allclose((A @ B).to_matrix(), A.to_matrix() @ B.to_matrix(), **CLOSE)
    expected = A.to_matrix() @ [*point, 1.0]
    np.testing.assert_allclose(dense(A.apply_point(point)), expected[:3], **CLOSE)


@given(transforms, motions, forces)
def test_motions_and_forces_as_matrices(X, v, f):
    A = adjoint(X)
    np.testing.assert_allclose(dense(X.motion_to_parent(v)), A @ dense(v), **CLOSE)
    np.testing.assert_allclose(dense(X.motion_to_child(v)), np.linalg.solve(A, dense(v)), **CLOSE)
    np.testing.assert_allclose(dense(X.force_to_parent(f)), np.linalg.solve(A.T, dense(f)), **CLOSE)
    np.testing.assert_allclose(dense(X.force_to_child(f)), A.T @ dense(f), **CLOSE)


@given(transforms, motions, forces)
def test_there_and_back(X, v, f):
    np.testing.assert_allclose(dense(X.motion_to_child(X.motion_to_parent(v))), dense(v), **CLOSE)
    np.testing.assert_allclose(dense(X.force_to_child(X.force_to_parent(f))), dense(f), **CLOSE)
    np.testing.assert_allclose(dense(X.inverse().motion_to_parent(v)), dense(X.motion_to_child(v)), **CLOSE)
    np.testing.assert_allclose(dense(X.inverse().force_to_parent(f)), dense(X.force_to_child(f)), **CLOSE)


@given(transforms, motions, forces)
def test_power_does_not_depend_on_the_frame(X, v, f):
    np.testing.assert_allclose(X.motion_to_parent(v).dot(X.force_to_parent(f)), v.dot(f), **CLOSE)
    np.testing.assert_allclose(X.motion_to_child(v).dot(X.force_to_child(f)), v.dot(f), **CLOSE)


@given(transforms, motions, motions)
def test_cross_products_do_not_depend_on_the_frame(X, v, m):
    inside = X.motion_to_parent(v.cross(m))
    outside = X.motion_to_parent(v).cross(X.motion_to_parent(m))
    np.testing.assert_allclose(dense(inside), dense(outside), atol=1e-11)


@given(transforms)
def test_matrices_and_lists(X):
    matrix = X.to_matrix()
    np.testing.assert_array_equal(Transform.of(matrix).to_matrix(), matrix)
    np.testing.assert_array_equal(X.to_list(), [*matrix[:3, :3].ravel(), *matrix[:3, 3]])
    np.testing.assert_array_equal(Transform.identity().to_matrix(), np.eye(4))
