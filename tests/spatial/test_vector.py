import numpy as np
from hypothesis import given

from tests.spatial.arrays import dense, numbers, vectors
from treadle.spatial import Vec3


@given(vectors, vectors, numbers)
def test_vector_algebra(a, b, s):
    x, y = dense(a), dense(b)
    np.testing.assert_array_equal(dense(a + b), x + y)
    np.testing.assert_array_equal(dense(a - b), x - y)
    np.testing.assert_array_equal(dense(-a), -x)
    np.testing.assert_array_equal(dense(a * s), x * s)
    np.testing.assert_array_equal(dense(s * a), x * s)
    np.testing.assert_allclose(a.dot(b), x @ y, atol=1e-14)
    np.testing.assert_allclose(dense(a.cross(b)), np.cross(x, y), atol=1e-14)


def test_missing_components_are_zero():
    assert list(Vec3()) == [0.0, 0.0, 0.0]
    assert list(Vec3(1.0)) == [1.0, 0.0, 0.0]
    assert repr(Vec3(1.0, 2.0)) == "Vec3(1.0, 2.0, 0.0)"
