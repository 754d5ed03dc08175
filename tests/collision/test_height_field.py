"""Ground of heights: against planes and spheres in closed form."""

import numpy as np
import pytest

import treadle as td
from tests.collision.scenes import at, free_bodies
from treadle.collision.collider import Collider
from treadle.collision.height_field import HeightField
from treadle.collision.kernels import FIRST, least_distance
from treadle.sim.step.pair_distance import DistanceMemory


def on_field(heights, size, kind, extent, q, margin=0.02):
    collider = Collider(
        free_bodies((kind, extent), ground=False), fields=[HeightField("ground", heights, size)]
    )
    return td.contact_points(collider, q, margin)


@pytest.mark.parametrize("kind, extent, low", [
    ("sphere", (0.5,), 0.5), ("box", (1.1, 0.7, 0.4), 0.2), ("capsule", (0.2, 1.0), 0.7),
    ("cylinder", (0.3, 0.8), 0.4), ("ellipsoid", (0.5, 0.4, 0.3), 0.3),
])  # fmt: skip
def test_flat_ground_is_a_plane(kind, extent, low):
    """Same corners as on a plane, wherever the seams of the grid are."""
    q = at((0.137, -0.211, low - 1e-3))
    points = on_field(np.zeros((9, 12)), (4, 3), kind, extent, q)
    plane = td.contact_points(Collider(free_bodies((kind, extent))), q, 0.02)
    assert len(points) == len(plane)
    ours = sorted(tuple(np.round(p.first_position, 9)) for p in points)
    assert ours == sorted(tuple(np.round(p.second_position, 9)) for p in plane)
    for p in points:
        np.testing.assert_allclose(p.normal, (0, 0, -1), atol=1e-12)
        assert p.distance == pytest.approx(-1e-3, abs=1e-12)


def test_a_ball_on_a_slope_in_a_valley_and_on_a_peak():
    slope = np.tile(np.linspace(-1, 1, 5), (5, 1))
    n = np.array([-1, 0, 2]) / np.sqrt(5)
    (point,) = on_field(slope, (4, 4), "sphere", (0.3,), at(0.295 * n))
    np.testing.assert_allclose(point.normal, -n, atol=1e-12)
    assert point.distance == pytest.approx(-0.005, abs=1e-12)
    valley = np.abs(slope)
    points = on_field(valley, (4, 4), "sphere", (0.3,), at((0, 0.1, 0.3 * np.sqrt(5) / 2)))
    assert sorted(round(p.normal[0], 9) for p in points) == [round(x, 9) for x in (-1 / 5**0.5, 1 / 5**0.5)]
    peak = np.zeros((5, 5))
    peak[2, 2] = 1.0
    (point,) = on_field(peak, (4, 4), "sphere", (0.3,), at((0, 0, 1.295)))
    np.testing.assert_allclose(point.second_position, (0, 0, 1), atol=1e-12)
    assert point.distance == pytest.approx(-0.005, abs=1e-12)


def test_a_box_lies_along_a_ridge():
    ridge = np.zeros((7, 7))
    ridge[:, 3] = 0.5
    points = on_field(ridge, (6, 6), "box", (0.6, 0.6, 0.6), at((0, 0.25, 0.79)))
    ends = sorted(p.second_position[1] for p in points)
    assert (ends[0], ends[-1]) == pytest.approx((-0.05, 0.55))
    assert all(p.distance == pytest.approx(-0.01) for p in points)


def test_beside_the_field_there_is_nothing():
    assert on_field(np.zeros((3, 3)), (2, 2), "sphere", (0.1,), at((1.2, 0, 0.05))) == []


@pytest.mark.parametrize("heights, size", [
    ([[0.0, np.nan], [0, 0]], (1, 1)), ([0.0, 1.0], (1, 1)), ([[0.0, 0], [0, 0]], (0, 1)),
])  # fmt: skip
def test_wrong_fields_are_refused(heights, size):
    with pytest.raises(td.ModelError, match='height field "bad"'):
        HeightField("bad", heights, size)


@pytest.mark.parametrize(
    "kind, extent", [("sphere", (0.2,)), ("box", (0.4, 0.3, 0.2)), ("capsule", (0.1, 0.4))]
)
def test_the_nearest_point_is_found_from_near_and_far(kind, extent):
    """In widening circles as among the points of the whole field."""
    random = np.random.default_rng(5)
    field = HeightField("ground", 0.1 * random.standard_normal((17, 23)), (8, 6))
    collider = Collider(free_bodies((kind, extent), ground=False), fields=[field])
    memory = DistanceMemory(collider)
    for height in (0.3, 0.5, 1.0, 3.0, 9.0):
        for _ in range(8):
            turn = random.standard_normal(4)
            q = at((*(turn / np.linalg.norm(turn)), *random.uniform((-4.5, -3.5), (4.5, 3.5)), height))
            points = td.contact_points(collider, q, 40.0)
            collider.place(q)
            memory.frame[FIRST : FIRST + 2] = 0, 1
            least_distance(memory.frame.ctypes.data)
            least = min(p.distance for p in points)
            assert memory.result[0] == pytest.approx(least, abs=1e-9)
            # no farther than it is asked for
            memory.result[4] = 0.2
            least_distance(memory.frame.ctypes.data)
            assert memory.result[0] == pytest.approx(min(least, 0.2), abs=1e-9)
            memory.result[4] = 1e300


def nearest_on_triangle(p, a, b, c):
    """The point of a triangle nearest to p, by the nearest of its plane and its edges."""
    n = np.cross(b - a, c - a)
    foot = p - n * (n @ (p - a)) / (n @ n)
    edges = [(a, b), (b, c), (c, a)]
    if all(n @ np.cross(v - u, foot - u) >= 0.0 for u, v in edges):
        return foot
    ends = [u + np.clip((p - u) @ (v - u) / ((v - u) @ (v - u)), 0.0, 1.0) * (v - u) for u, v in edges]
    return min(ends, key=lambda end: np.linalg.norm(p - end))


@pytest.mark.parametrize("rough", [0.0, 0.02, 0.1, 0.5, 2.0])
def test_balls_touch_where_triangles_are_nearest(rough):
    """Balls above the ground, whose nearest point a search over all triangles finds, too."""
    random = np.random.default_rng(7)
    field = HeightField("ground", rough * random.standard_normal((7, 9)), (4, 3))
    points, triangles = field.triangles()
    radius, margin = 0.2, 0.3
    collider = Collider(free_bodies(("sphere", (radius,)), ground=False), fields=[field])
    met = 0
    for _ in range(150):
        x, y = random.uniform((-1.9, -1.4), (1.9, 1.4))
        corners = points[triangles]
        below = max(_height(corner, x, y) for corner in corners)
        centre = np.array([x, y, below + random.uniform(0.0, 0.6)])
        nearest = min(
            (nearest_on_triangle(centre, *corner) for corner in corners),
            key=lambda p: np.linalg.norm(centre - p),
        )
        distance = np.linalg.norm(centre - nearest) - radius
        found = td.contact_points(collider, at(tuple(centre)), margin)
        if distance > margin:
            assert found == []
            continue
        met += 1
        least = min(found, key=lambda p: p.distance)
        assert least.distance == pytest.approx(distance, abs=1e-9)
        np.testing.assert_allclose(least.second_position, nearest, atol=1e-6)
        for p in found:
            away = centre - p.second_position
            assert np.linalg.norm(away) - radius == pytest.approx(p.distance, abs=1e-9)
            np.testing.assert_allclose(p.normal * np.linalg.norm(away), -away, atol=1e-9)
    assert met > 40


def _height(corner, x, y):
    """Height of a triangle over (x, y), -inf beside it."""
    a, b, c = corner
    s, t = np.linalg.solve(np.array([b - a, c - a])[:, :2].T, np.array([x, y]) - a[:2])
    return a[2] + s * (b - a)[2] + t * (c - a)[2] if min(s, t, 1.0 - s - t) >= 0.0 else -np.inf
