import math

import numpy as np
import pytest

from treadle.model.values import freedoms, inertia_matrix, listed, plain, rotation_matrix, rpy, vector


def test_rpy_turns_about_x_then_y_then_z():
    def turn(axis, angle):
        c, s = math.cos(angle), math.sin(angle)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        R = np.eye(3)
        R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
        return R

    expected = turn(2, 0.7) @ turn(1, -0.4) @ turn(0, 0.3)
    np.testing.assert_allclose(rpy(0.3, -0.4, 0.7), expected, atol=1e-15)


def test_rotation_noise_is_removed():
    R = rotation_matrix(rpy(math.pi / 2, 0.0, math.pi))
    assert set(R.ravel().tolist()) == {0.0, 1.0, -1.0}
    assert not np.signbit(R[R == 0.0]).any()


def test_small_angles_are_not_noise():
    R = rotation_matrix(rpy(0.0, 0.0, 1e-9))
    assert R[1, 0] == 1e-9


def test_rotation_with_few_digits_becomes_the_nearest_rotation():
    R = rotation_matrix(np.round(rpy(0.3, -0.4, 0.7), 7))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(R, rpy(0.3, -0.4, 0.7), atol=1e-7)


def test_rotation_from_quaternion():
    half = math.sqrt(0.5)
    np.testing.assert_array_equal(rotation_matrix((half, 0, 0, half)), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(rotation_matrix((2, 0, 0, 0)), np.eye(3))


@pytest.mark.parametrize(
    "value",
    [
        np.diag([1, 1, -1]),
        np.eye(3) * 1.1,
        (0, 0, 0, 0),
        (0.1, 0.2, 0.3),
        "up",
        [[1, 0], [0, 1]],
        [[math.nan] * 3] * 3,
    ],
)
def test_what_is_no_rotation(value):
    with pytest.raises(ValueError, match="needs"):
        rotation_matrix(value)


def test_forms_of_an_inertia():
    full = [[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 3.0]]
    np.testing.assert_array_equal(inertia_matrix((1, 2, 3, 0.1, 0.2, 0.3)), full)
    np.testing.assert_array_equal(inertia_matrix(full), full)
    np.testing.assert_array_equal(inertia_matrix((1, 2, 3)), np.diag([1, 2, 3]))
    with pytest.raises(ValueError, match="six numbers"):
        inertia_matrix((1, 2))


def test_freedoms():
    assert freedoms(2, 3, 0.0) == (2.0, 2.0, 2.0)
    assert freedoms((1, None), 2, math.inf) == (1.0, math.inf)
    assert freedoms(np.array([1.0, 2.0]), 2, 0.0) == (1.0, 2.0)
    for bad in ((1, 2, 3), "fast", math.nan, (1, "x")):
        with pytest.raises(ValueError, match="needs"):
            freedoms(bad, 2, 0.0)


def test_vector_and_plain():
    np.testing.assert_array_equal(vector([1, 2, 3]), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="3 numbers"):
        vector((1, 2))
    assert plain(np.array([[1, 2]])) == ((1.0, 2.0),)
    assert plain(np.float32(0.5)) == 0.5
    assert plain("name") == "name"


def test_listed():
    assert listed(["a", "b"]) == '"a", "b"'
    assert listed(list("abcdefgh")).endswith('"f", ... (8 in all)')
