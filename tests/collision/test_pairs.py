"""Distances and normals of random pairs: proved by their own certificates, and compared with coal."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from tests.collision.pairs import pair, points_of

coal = pytest.importorskip("coal")

SOLIDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid")
PAIRS = list(itertools.combinations_with_replacement(SOLIDS, 2))
EXACT_IN_COAL = {"sphere", "capsule", "box"}


def scene(rng, first, second, spread):
    sizes = rng.uniform(0.1, 1.0, (2, 3))
    if rng.random() < 0.2:
        sizes[rng.integers(2)] *= rng.uniform(0.01, 1.0, 3)
    poses = [(rng.normal(size=3) * spread, Rotation.random(rng=rng).as_matrix()) for _ in range(2)]
    return pair((first, sizes[0]), (second, sizes[1]), *poses)


def support(kind, size, N):
    """h(n) for directions N (k, 3) in the shape's own axes."""
    flat = np.hypot(N[:, 0], N[:, 1])
    match kind:
        case "sphere":
            return size[0] * np.linalg.norm(N, axis=1)
        case "capsule":
            return size[0] * np.linalg.norm(N, axis=1) + size[1] * np.abs(N[:, 2])
        case "box":
            return np.abs(N) @ size
        case "cylinder":
            return size[0] * flat + size[1] * np.abs(N[:, 2])
    return np.linalg.norm(N * size, axis=1)


def gaps(names, shapes, X, N):
    """The gap between the two shapes along each of the directions N."""
    d = X[1, 9:] - X[0, 9:]
    A, B = (X[i, :9].reshape(3, 3) for i in range(2))
    return N @ d - support(names[0], shapes.size[0], N @ A) - support(names[1], shapes.size[1], -N @ B)


def outside(kind, size, p):
    """How far a point in the shape's own axes is outside it, roughly; not positive inside."""
    flat = np.hypot(p[0], p[1])
    match kind:
        case "sphere":
            return np.linalg.norm(p) - size[0]
        case "capsule":
            return np.linalg.norm([p[0], p[1], max(abs(p[2]) - size[1], 0.0)]) - size[0]
        case "box":
            return (np.abs(p) - size).max()
        case "cylinder":
            return max(flat - size[0], abs(p[2]) - size[1])
    return (np.linalg.norm(p / size) - 1.0) * size.min()


def check(names, shapes, X, rng):
    data, _ = points_of(shapes, X)
    best = data[data[:, 9].argmin()]
    n, s = best[6:9], best[9]
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(best[3:6] - best[:3], s * n, atol=1e-12)
    # along this normal the gap is what it says: a bound from below
    assert gaps(names, shapes, X, n[None])[0] == pytest.approx(s, abs=1e-10)
    # the points belong to the shapes: a bound from above
    for i in range(2):
        p = X[i, :9].reshape(3, 3).T @ (best[3 * i : 3 * i + 3] - X[i, 9:])
        assert abs(outside(names[i], shapes.size[i], p)) < 1e-9
    if s < 0:
        # no direction is better
        N = rng.normal(size=(4000, 3))
        N /= np.linalg.norm(N, axis=1, keepdims=True)
        values = gaps(names, shapes, X, N)
        assert values.max() <= s + 1e-12
        start = N[values.argmax()]
        refined = minimize(
            lambda x: -gaps(names, shapes, X, (x / np.linalg.norm(x))[None])[0],
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 400},
        )
        assert -refined.fun <= s + 1e-11
    return n, s


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_every_pair_proves_its_distance(names):
    rng = np.random.default_rng(PAIRS.index(names))
    overlapping = 0
    for k in range(24):
        shapes, X = scene(rng, *names, spread=(0.15, 0.4, 1.5)[k % 3])
        overlapping += check(names, shapes, X, rng)[1] < 0
    assert 3 < overlapping < 24


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_every_pair_agrees_with_coal(names):
    rng = np.random.default_rng(100 + PAIRS.index(names))
    exact = set(names) <= EXACT_IN_COAL
    for k in range(30):
        shapes, X = scene(rng, *names, spread=(0.4, 1.5)[k % 2])
        data, _ = points_of(shapes, X)
        best = data[data[:, 9].argmin()]
        request = coal.DistanceRequest(True, True)
        request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
        result = coal.DistanceResult()
        geometries = [geometry(name, size) for name, size in zip(names, shapes.size)]
        poses = [coal.Transform3s(row[:9].reshape(3, 3), row[9:]) for row in X]
        theirs = coal.distance(geometries[0], poses[0], geometries[1], poses[1], request, result)
        if exact:
            assert best[9] == pytest.approx(theirs, abs=1e-9)
        elif theirs > 0:
            # its GJK stops earlier on curved surfaces
            assert best[9] == pytest.approx(theirs, abs=1e-5)
        if exact and abs(best[9]) > 1e-3:
            np.testing.assert_allclose(best[6:9], np.array(result.normal), atol=1e-9)


def geometry(name, size):
    match name:
        case "sphere":
            return coal.Sphere(size[0])
        case "capsule":
            return coal.Capsule(size[0], 2 * size[1])
        case "box":
            return coal.Box(*(2 * size))
        case "cylinder":
            return coal.Cylinder(size[0], 2 * size[1])
    return coal.Ellipsoid(*size)


@settings(max_examples=60, deadline=None)
@given(names=st.sampled_from(PAIRS), seed=st.integers(0, 2**32 - 1))
def test_order_and_rigid_motion_change_nothing(names, seed):
    rng = np.random.default_rng(seed)
    shapes, X = scene(rng, *names, spread=0.6)
    data, _ = points_of(shapes, X)
    s = data[:, 9].min()
    swapped, _ = points_of(shapes, X, a=1, b=0)
    assert swapped[:, 9].min() == pytest.approx(s, abs=1e-10)
    Q, p = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    moved = np.array([[*(Q @ row[:9].reshape(3, 3)).ravel(), *(Q @ row[9:] + p)] for row in X])
    there, _ = points_of(shapes, moved)
    assert there[:, 9].min() == pytest.approx(s, abs=1e-10)


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_coincident_centres_have_a_finite_answer(names):
    shapes, X = pair((names[0], (0.3, 0.3, 0.3)), (names[1], (0.3, 0.3, 0.3)), [], [])
    data, feature = points_of(shapes, X, margin=0.1)
    again, same = points_of(shapes, X, margin=0.1)
    assert len(data) and np.isfinite(data).all()
    assert (data == again).all() and (feature == same).all()
    assert data[:, 9].min() < -0.3


@pytest.mark.parametrize(
    ("first", "second", "depth"),
    [
        (("capsule", (0.1, 0.4, 0.0)), ("ellipsoid", (2.0, 2.0, 2.0)), 2.1),
        (("ellipsoid", (0.5, 0.4, 0.3)), ("ellipsoid", (0.9, 0.6, 0.7)), 1.0),
        (("box", (0.01, 0.02, 0.03)), ("cylinder", (1.0, 1.0, 0.0)), 1.01),
        (("cylinder", (1.0, 0.99, 0.0)), ("ellipsoid", (0.02, 0.02, 0.01)), 1.0),
        (("cylinder", (0.5, 0.7, 0.0)), ("cylinder", (0.3, 0.2, 0.0)), 0.8),
    ],
)
def test_depth_of_concentric_shapes_is_the_least_of_all_directions(first, second, depth):
    shapes, X = pair(first, second, (np.zeros(3),), (np.zeros(3),))
    data, _ = points_of(shapes, X)
    assert data[:, 9].min() == pytest.approx(-depth, rel=1e-12)
