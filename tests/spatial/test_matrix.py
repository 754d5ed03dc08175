"""Three by three matrices against numpy, and rotations of symmetric ones by short cuts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spatial.arrays import QUARTER_TURNS, dense, numbers, rotations, seeds, skew, vectors
from treadle.graph import Graph, evaluate
from treadle.joints.joint import rotation_about
from treadle.spatial import Mat3, Vec3

quarter_turns = st.sampled_from(QUARTER_TURNS).map(Mat3.of)
matrices = st.builds(Mat3, vectors, vectors, vectors)


@given(matrices, matrices, vectors, numbers)
def test_matrix_algebra(A, B, v, s):
    a, b, x = dense(A), dense(B), dense(v)
    close = {"atol": 1e-13}
    np.testing.assert_allclose(dense(A @ B), a @ b, **close)
    np.testing.assert_allclose(dense(A + B), a + b, **close)
    np.testing.assert_allclose(dense(A - B), a - b, **close)
    np.testing.assert_allclose(dense(-A), -a, **close)
    np.testing.assert_allclose(dense(A * s), a * s, **close)
    np.testing.assert_allclose(dense(s * A), a * s, **close)
    np.testing.assert_array_equal(dense(A.T), a.T)
    np.testing.assert_allclose(dense(A.apply(v)), a @ x, **close)
    np.testing.assert_allclose(dense(A.apply_transposed(v)), a.T @ x, **close)


@given(vectors, vectors)
def test_skew_and_outer(a, b):
    np.testing.assert_array_equal(dense(Mat3.skew(a)), skew(a))
    np.testing.assert_allclose(dense(Mat3.skew(a).apply(b)), np.cross(dense(a), dense(b)), atol=1e-14)
    np.testing.assert_array_equal(dense(Mat3.outer(a, b)), np.outer(dense(a), dense(b)))


def test_making():
    np.testing.assert_array_equal(dense(Mat3.identity(2.0)), 2.0 * np.eye(3))
    np.testing.assert_array_equal(dense(Mat3.zero()), np.zeros((3, 3)))
    A = Mat3.of(np.arange(9.0).reshape(3, 3))
    # numpy's numbers become Python's, so that simplifications see them
    assert all(type(x) is float for row in A.to_rows() for x in row)
    np.testing.assert_array_equal(dense(A.symmetric()), [[0, 1, 2], [1, 4, 5], [2, 5, 8]])


def test_cleared():
    A = Mat3.of(np.arange(1.0, 10.0).reshape(3, 3))
    np.testing.assert_array_equal(dense(A.cleared(0, None)), [[0, 0, 0], [4, 5, 6], [7, 8, 9]])
    np.testing.assert_array_equal(dense(A.cleared(None, 2)), [[1, 2, 0], [4, 5, 0], [7, 8, 0]])
    np.testing.assert_array_equal(dense(A.cleared(1, 1)), [[1, 0, 3], [0, 0, 0], [7, 0, 9]])


# rotation of a symmetric matrix

AXES = {"x": Vec3(1.0), "y": Vec3(0.0, 1.0), "z": Vec3(0.0, 0.0, 1.0)}


@st.composite
def symmetric(draw: st.DrawFn) -> Mat3:
    A = draw(seeds).uniform(-2.0, 2.0, (3, 3))
    return Mat3.of(A + A.T)


@pytest.mark.parametrize("R", QUARTER_TURNS)
def test_rotated_by_quarter_turns(R):
    A = np.array([[1.0, 2.0, 3.0], [2.0, 5.0, 7.0], [3.0, 7.0, 11.0]])
    np.testing.assert_array_equal(dense(Mat3.of(A).rotated(Mat3.of(R))), R @ A @ R.T)


@given(symmetric(), rotations)
def test_rotated(A, R):
    expected = dense(R) @ dense(A) @ dense(R).T
    result = dense(A.rotated(R))
    np.testing.assert_allclose(result, expected, atol=1e-13)
    np.testing.assert_array_equal(result, result.T)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@given(A=symmetric(), angle=st.floats(-4.0, 4.0))
def test_rotated_about_a_coordinate_axis(A, angle, axis, sign):
    R = rotation_about(AXES[axis] * sign, angle)
    np.testing.assert_allclose(dense(A.rotated(R)), dense(R) @ dense(A) @ dense(R).T, atol=1e-13)


@given(symmetric(), quarter_turns, st.sampled_from(list(AXES)), st.floats(-4.0, 4.0))
def test_rotated_by_a_turn_in_a_turned_frame(A, quarter, axis, angle):
    # a joint about a coordinate axis in a frame that stands in any way: the lone 1 may be anywhere
    R = quarter @ rotation_about(AXES[axis], angle)
    np.testing.assert_allclose(dense(A.rotated(R)), dense(R) @ dense(A) @ dense(R).T, atol=1e-13)


@pytest.mark.parametrize("axis", AXES)
def test_turning_about_a_coordinate_axis_is_cheap(axis):
    """The short cut takes less than half of the operations, and gives the same numbers when traced."""

    def operations(rotation):
        graph = Graph()
        values = graph.inputs(7)
        A = Mat3.of([values[0:3], [values[1], *values[3:5]], [values[2], values[4], values[5]]])
        R = rotation(values[6])
        result = A.rotated(R)
        at = np.random.default_rng(0).uniform(-1.0, 1.0, 7).tolist()
        a, r, rotated = (np.array([evaluate(graph, row, at) for row in M.to_rows()]) for M in (A, R, result))
        np.testing.assert_allclose(rotated, r @ a @ r.T, atol=1e-14)
        return sum(graph.operation.count(name) for name in ("add", "sub", "mul", "neg"))

    short = operations(lambda angle: rotation_about(AXES[axis], angle))
    general = operations(lambda angle: rotation_about(Vec3(0.6, 0.0, 0.8), angle))
    assert short < 0.5 * general


def test_a_one_next_to_small_numbers_is_no_axis():
    """A rotation by a tiny angle has ones on its diagonal that stand for something smaller."""
    tiny = 1e-9
    R = Mat3.of([[1.0, -tiny, tiny], [tiny, 1.0, 0.0], [-tiny, 0.0, 1.0]])
    A = Mat3.of([[1.0, 2.0, 3.0], [2.0, 5.0, 7.0], [3.0, 7.0, 11.0]])
    np.testing.assert_allclose(dense(A.rotated(R)), dense(R) @ dense(A) @ dense(R).T, rtol=1e-15)
