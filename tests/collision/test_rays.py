"""Rays: closed forms, and every hit lies on the shape that it names."""

import numpy as np
import pytest

import treadle as td
from tests.collision.scenes import at, free_bodies
from tests.collision.test_pairs import outside
from treadle.collision.collider import Collider
from treadle.collision.height_field import HeightField

SHAPES = {
    "sphere": ((0.5,), 0.5),
    "box": ((0.6, 0.8, 1.0), 0.5),
    "capsule": ((0.2, 1.0), 0.7),
    "cylinder": ((0.3, 1.2), 0.6),
    "ellipsoid": ((0.3, 0.4, 0.5), 0.5),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_from_above_every_shape_is_hit_at_its_top(kind):
    size, top = SHAPES[kind]
    hit = td.ray_cast(free_bodies((kind, size)), at((0, 0, 2)), (0, 0, 5), (0, 0, -3))
    assert hit.shape == "s0"
    assert hit.distance == pytest.approx(3.0 - top, abs=1e-12)
    np.testing.assert_allclose(hit.normal, (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(hit.position, (0, 0, 2 + top), atol=1e-12)


@pytest.mark.parametrize("kind", SHAPES)
def test_hits_lie_on_the_surface_and_misses_pass_by(kind):
    rng = np.random.default_rng(len(kind))
    size, _ = SHAPES[kind]
    model = free_bodies((kind, size), ground=False)
    origins = rng.normal(size=(200, 3))
    origins *= 2.0 / np.linalg.norm(origins, axis=1, keepdims=True)
    targets = rng.uniform(-0.7, 0.7, (200, 3))
    half = np.zeros(3)
    half[: len(size)] = np.array(size) * {"box": 0.5, "capsule": [1, 0.5], "cylinder": [1, 0.5]}.get(
        kind, 1.0
    )
    hits = td.ray_casts(model, at((0, 0, 0)), origins, targets - origins)
    for hit, o, target in zip(hits, origins, targets):
        along = o + np.linspace(0, 2, 400)[:, None] * (target - o)
        inside = [p for p in along if outside(kind, half, p) < -1e-3]
        if hit is None:
            assert not inside
        else:
            assert abs(outside(kind, half, hit.position)) < 1e-9
            assert hit.normal @ (target - o) < 0
            assert all(np.linalg.norm(p - o) > hit.distance for p in inside)
    assert 40 < sum(hit is not None for hit in hits) < 200


def test_the_nearest_of_several_and_what_is_ignored():
    model = free_bodies(("sphere", (0.5,)), ("sphere", (0.5,)))
    q = at((0, 0, 2), (0, 0, 4))
    down = ((0, 0, 9), (0, 0, -1))
    assert td.ray_cast(model, q, *down).shape == "s1"
    assert td.ray_cast(model, q, *down, ignore=["b1"]).shape == "s0"
    assert td.ray_cast(model, q, *down, ignore=["s0", "s1"]).shape == "ground"
    assert td.ray_cast(model, q, *down, limit=4.0) is None
    assert td.ray_cast(model, q, (0, 0, 2), (1, 0, 0)).distance == 0.0
    with pytest.raises(td.InputError, match="no direction zero"):
        td.ray_cast(model, q, (0, 0, 1), (0, 0, 0))


def test_a_height_field_is_hit_where_its_triangles_are():
    rng = np.random.default_rng(3)
    heights = rng.uniform(0, 0.5, (8, 9))
    field = HeightField("ground", heights, (4, 3), position=(0.5, -0.2, 0.1))
    collider = Collider(free_bodies(("sphere", (0.1,)), ground=False), fields=[field])
    points, triangles = field.triangles()
    origins = rng.uniform(-1.4, 1.4, (60, 3)) * (1, 0.9, 0) + (0.5, -0.2, 3)
    targets = rng.uniform(-1.4, 1.4, (60, 3)) * (1, 0.9, 0) + (0.5, -0.2, 0.2)
    hits = td.ray_casts(collider, at((0, 0, 9)), origins, targets - origins)
    for hit, o, target in zip(hits, origins, targets):
        e = (target - o) / np.linalg.norm(target - o)
        expected = min(_triangle(points[t] + field.position, o, e) for t in triangles)
        assert hit.distance == pytest.approx(expected, abs=1e-9)


def _triangle(corners, o, e):
    a, u, v = corners[0], corners[1] - corners[0], corners[2] - corners[0]
    try:
        x, y, t = np.linalg.solve(np.array([u, v, -e]).T, o - a)
    except np.linalg.LinAlgError:
        return np.inf
    return t if min(x, y) >= -1e-12 and x + y <= 1 + 1e-12 and t >= 0 else np.inf
