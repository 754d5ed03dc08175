"""Quaternions against the matrix exponential, their derivative, and turns by half a circle."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.linalg import expm

from tests.spatial.arrays import dense, rotations, seeds, skew, vectors
from treadle.graph import Graph, evaluate
from treadle.spatial import Mat3, Quaternion, Vec3

CLOSE = {"atol": 1e-13}


@st.composite
def quaternions(draw: st.DrawFn) -> Quaternion:
    q = draw(seeds).standard_normal(4)
    return Quaternion(*(q / np.linalg.norm(q)).tolist())


@st.composite
def turns(draw: st.DrawFn, largest: float = math.pi) -> Vec3:
    """Rotation vectors of any size, the smallest among them."""
    direction = draw(seeds).standard_normal(3)
    size = draw(st.one_of(st.floats(0.0, largest), st.floats(-20.0, -1.0).map(lambda e: 10.0**e)))
    return Vec3(*(direction / np.linalg.norm(direction) * min(size, largest)).tolist())


def norm(q: Quaternion) -> float:
    return float(np.linalg.norm(dense(q)))


@given(turns())
@example(Vec3())
@example(Vec3(0.01))
@example(Vec3(0.0099999))
def test_exp_is_the_matrix_exponential(delta):
    q = Quaternion.exp(delta)
    assert norm(q) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(dense(q.matrix()), expm(skew(delta)), **CLOSE)


@given(turns(math.pi - 1e-6))
@example(Vec3())
@example(Vec3(0.02))
@example(Vec3(0.0199999))
def test_log_is_the_inverse_of_exp(delta):
    size = math.sqrt(delta.dot(delta))
    np.testing.assert_allclose(
        dense(Quaternion.exp(delta).log()), dense(delta), rtol=1e-12, atol=1e-14 * size
    )


@given(quaternions())
def test_log_is_the_shorter_way(q):
    turn = q.log()
    assert math.sqrt(turn.dot(turn)) <= math.pi + 1e-12
    np.testing.assert_allclose(dense(Quaternion.exp(turn).matrix()), dense(q.matrix()), **CLOSE)
    # q and -q are one rotation
    opposite = Quaternion(*[-x for x in q])
    np.testing.assert_allclose(dense(opposite.log()), dense(turn), atol=1e-12)


@given(quaternions(), quaternions(), vectors)
def test_product_conjugate_and_matrix(a, b, v):
    np.testing.assert_allclose(dense((a @ b).matrix()), dense(a.matrix()) @ dense(b.matrix()), **CLOSE)
    np.testing.assert_allclose(dense(a.conjugate().matrix()), dense(a.matrix()).T, **CLOSE)
    np.testing.assert_allclose(dense(a @ a.conjugate()), [1.0, 0.0, 0.0, 0.0], **CLOSE)
    R = dense(a.matrix())
    np.testing.assert_allclose(R @ R.T, np.eye(3), **CLOSE)
    assert np.linalg.det(R) == pytest.approx(1.0)
    # the sandwich q (0, v) q*
    turned = a @ Quaternion(0.0, *v) @ a.conjugate()
    np.testing.assert_allclose(dense(turned), [0.0, *(R @ dense(v))], atol=1e-12)


@given(quaternions(), turns())
def test_rate_is_the_derivative(q, omega):
    """d/dt q exp(omega t) at t = 0, and dR/dt = R skew(omega)."""
    h = 1e-6
    ahead, behind = (q @ Quaternion.exp(omega * s) for s in (h, -h))
    np.testing.assert_allclose(dense(q.rate(omega)), (dense(ahead) - dense(behind)) / (2 * h), atol=1e-8)
    numeric = (dense(ahead.matrix()) - dense(behind.matrix())) / (2 * h)
    np.testing.assert_allclose(dense(q.matrix()) @ skew(omega), numeric, atol=1e-8)


@given(rotations)
def test_from_matrix(R):
    q = Quaternion.from_matrix(R)
    assert q.w >= 0.0
    assert norm(q) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(dense(q.matrix()), dense(R), **CLOSE)


@given(seeds, st.sampled_from([0.0, 1e-12, 1e-9, 1e-6, -1e-9]))
def test_from_matrix_near_half_turns(rng, off):
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    R = expm((math.pi + off) * skew(axis))
    q = Quaternion.from_matrix(Mat3.of(R))
    np.testing.assert_allclose(dense(q.matrix()), R, atol=1e-13)


@pytest.mark.parametrize("axis", [*np.eye(3).tolist(), [0.0, 0.6, 0.8], [-0.6, 0.0, 0.8]])
def test_from_matrix_at_half_turns(axis):
    R = 2.0 * np.outer(axis, axis) - np.eye(3)
    q = Quaternion.from_matrix(Mat3.of(R))
    assert abs(q.w) < 1e-15
    np.testing.assert_allclose(np.abs(dense(q)[1:]), np.abs(axis), **CLOSE)
    np.testing.assert_allclose(dense(q.matrix()), R, **CLOSE)


@given(quaternions(), st.floats(-1e-5, 1e-5))
def test_renormalized_takes_out_small_errors(q, error):
    off = Quaternion(*[x * (1.0 + error) for x in q])
    assert abs(norm(off.renormalized()) - 1.0) <= 2.0 * error**2 + 1e-15


@given(turns(), seeds)
def test_traced_quaternions_are_the_same(delta, rng):
    """Both sides of the conditions near zero are traced, and the right one is taken."""
    graph = Graph()
    traced = Quaternion.exp(Vec3(*graph.inputs(3)))
    values = evaluate(graph, [*traced, *traced.log()], [float(x) for x in delta])
    q = Quaternion.exp(delta)
    np.testing.assert_allclose(values, [*q, *q.log()], rtol=1e-14, atol=1e-16)
