"""Spatial vectors: cross products as matrices, and their duality."""

import numpy as np
from hypothesis import given

from tests.spatial.arrays import dense, forces, motions, numbers, skew
from treadle.spatial import Force, Motion


def cross_matrix(v: Motion) -> np.ndarray:
    w, u = skew(v.angular), skew(v.linear)
    return np.block([[w, np.zeros((3, 3))], [u, w]])


@given(motions, motions, forces, numbers)
def test_spatial_algebra(v, m, f, s):
    np.testing.assert_allclose(dense(v + m), dense(v) + dense(m))
    np.testing.assert_allclose(dense(v - m), dense(v) - dense(m))
    np.testing.assert_allclose(dense(-v), -dense(v))
    np.testing.assert_allclose(dense(v * s), dense(v) * s)
    np.testing.assert_allclose(dense(s * f), dense(f) * s)
    np.testing.assert_allclose(v.dot(f), dense(v) @ dense(f), atol=1e-13)
    np.testing.assert_allclose(dense(v.cross(m)), cross_matrix(v) @ dense(m), atol=1e-13)
    np.testing.assert_allclose(dense(v.cross_force(f)), -cross_matrix(v).T @ dense(f), atol=1e-13)


@given(motions, motions, forces)
def test_cross_products_are_dual(v, m, f):
    """(v x m) . f + m . (v x* f) = 0: a moving frame changes no power."""
    np.testing.assert_allclose(v.cross(m).dot(f) + m.dot(v.cross_force(f)), 0.0, atol=1e-12)


@given(motions, motions, motions)
def test_jacobi_identity(a, b, c):
    total = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    np.testing.assert_allclose(dense(total), 0.0, atol=1e-11)


def test_angular_comes_first():
    motion = Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert list(motion.angular) == [1.0, 2.0, 3.0]
    assert list(motion.linear) == [4.0, 5.0, 6.0]
    assert list(Force.zero()) == [0.0] * 6
    assert type(Force.of([0.0] * 6) + Force.zero()) is Force
    assert repr(motion).startswith("Motion(Vec3(1.0")
