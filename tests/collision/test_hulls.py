"""Convex meshes and meshes of triangles in the compiled kernels: against coal, and in closed form."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from tests.collision.pairs import pair, points_of
from tests.collision.test_pairs import geometry
from treadle.collision.mesh import checked_mesh

coal = pytest.importorskip("coal")

OTHERS = ("sphere", "capsule", "box", "hull")


def hull_of(points):
    """The checked mesh of the hull of points."""
    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    for k, (triangle, plane) in enumerate(zip(hull.simplices, hull.equations)):
        p, q, r = points[triangle]
        if np.cross(q - p, r - p) @ plane[:3] < 0.0:
            triangles[k] = triangle[::-1]
    mesh = checked_mesh("m", points, triangles)
    assert mesh.convex
    return mesh


def box_mesh(*size):
    box = trimesh.creation.box(size)
    return checked_mesh("m", np.array(box.vertices), np.array(box.faces))


def coal_convex(mesh):
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend([np.array(p) for p in mesh.points])
    triangles.extend([coal.Triangle(*(int(i) for i in t)) for t in mesh.triangles])
    return coal.Convex(points, triangles)


def coal_distance(first, second, X):
    request = coal.DistanceRequest(True, True)
    request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
    request.epa_tolerance, request.epa_max_iterations = 1e-10, 1000
    result = coal.DistanceResult()
    poses = [coal.Transform3s(row[:9].reshape(3, 3), row[9:12]) for row in X]
    return coal.distance(first, poses[0], second, poses[1], request, result), np.array(result.normal)


def gap(points_a, points_b, n):
    """The gap of two sets of points along n."""
    return (points_b @ n).min() - (points_a @ n).max()


@settings(max_examples=120, deadline=None)
@given(other=st.sampled_from(OTHERS), seed=st.integers(0, 2**32 - 1))
def test_hulls_agree_with_coal(other, seed):
    rng = np.random.default_rng(seed)
    hull = hull_of(rng.normal(size=(rng.integers(5, 30), 3)) * rng.uniform(0.2, 0.6, 3))
    size = rng.uniform(0.1, 0.7, 3)
    second = hull_of(rng.normal(size=(12, 3)) * 0.4) if other == "hull" else (other, size)
    spread = rng.choice([0.1, 0.5, 1.2])
    poses = [(rng.normal(size=3) * spread, Rotation.random(rng=rng).as_matrix()) for _ in range(2)]
    shapes, X = pair(hull, second, *poses)
    data, _ = points_of(shapes, X)
    best = data[data[:, 9].argmin()]
    theirs = coal_convex(second) if other == "hull" else geometry(other, size)
    distance, normal = coal_distance(coal_convex(hull), theirs, X)
    # where both are polytopes a normal proves itself: no gap along it is larger than the distance
    assert best[9] == pytest.approx(distance, abs=1e-7)
    np.testing.assert_allclose(best[3:6] - best[:3], best[9] * best[6:9], atol=1e-12)
    if other == "hull":
        corners = [m.points @ R.T + p for m, (p, R) in zip((hull, second), poses)]
        assert gap(*corners, best[6:9]) == pytest.approx(best[9], abs=1e-10)
        assert gap(*corners, normal) <= best[9] + 1e-9
    least, _ = points_of(shapes, X, least=True)
    assert least[0, 9] == best[9]


@pytest.mark.parametrize("turn", [0.0, 0.3])
@pytest.mark.parametrize("other", ["hull", "box"])
def test_a_hull_on_a_box_touches_as_two_boxes_do(turn, other):
    lower = box_mesh(1, 1, 1)
    upper = box_mesh(0.6, 0.8, 1) if other == "hull" else ("box", (0.3, 0.4, 0.5))
    R = Rotation.from_euler("z", turn).as_matrix()
    pose = [(0.4, 0.1, 0.999), R]
    data, feature = points_of(*pair(lower, upper, [], pose), margin=0.01)
    boxes, _ = points_of(*pair(("box", (0.5,) * 3), ("box", (0.3, 0.4, 0.5)), [], pose), margin=0.01)
    found, expected = (sorted(map(tuple, np.round(rows[:, :3], 9) + 0.0)) for rows in (data, boxes))
    assert found == expected
    np.testing.assert_allclose(data[:, 9], -1e-3, atol=1e-12)
    assert len(set(feature)) == len(data)


def test_a_hull_on_a_plane_stands_on_its_lowest_corners():
    data, feature = points_of(*pair(("plane", ()), box_mesh(1, 1, 1), [], [(0, 0, 0.499)]), margin=0.01)
    assert {tuple(np.round(row[:2], 9)) for row in data} == {(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)}
    np.testing.assert_allclose(data[:, 9], -1e-3, atol=1e-12)
    round_body = trimesh.creation.cylinder(0.3, 0.6, sections=40)
    mesh = checked_mesh("m", np.array(round_body.vertices), np.array(round_body.faces))
    data, feature = points_of(*pair(("plane", ()), mesh, [], [(0, 0, 0.3)]), margin=0.01)
    assert 8 <= len(data) <= 9 and len(set(feature)) == len(data)
    assert np.linalg.norm(data[:8, :2], axis=1) == pytest.approx(0.3, abs=1e-2)


# meshes that are not convex


def plate(cells=4, side=2.0, height=0.0):
    """An open surface of squares, each of two triangles."""
    x = np.linspace(-side / 2, side / 2, cells + 1)
    points = np.array([(a, b, height) for b in x for a in x])
    triangles = []
    for j in range(cells):
        for i in range(cells):
            k = j * (cells + 1) + i
            triangles += [(k, k + 1, k + cells + 2), (k, k + cells + 2, k + cells + 1)]
    return checked_mesh("m", points, np.array(triangles))


def stairs():
    """A closed body: two boxes that share a wall, the left one twice as high."""
    body = trimesh.boolean.union(
        [
            trimesh.creation.box(bounds=[(-1, -1, -1), (0, 1, 1)]),
            trimesh.creation.box(bounds=[(-1, -1, -1), (1, 1, 0)]),
        ],
        engine="manifold",
    )
    return checked_mesh("m", np.array(body.vertices), np.array(body.faces))


SOLIDS = {
    "sphere": (0.25,),
    "capsule": (0.1, 0.15),
    "box": (0.3, 0.2, 0.25),
    "cylinder": (0.2, 0.25),
    "ellipsoid": (0.2, 0.3, 0.25),
}


@pytest.mark.parametrize("kind", SOLIDS)
@pytest.mark.parametrize("surface", ["plate", "stairs"])
def test_flat_ground_of_triangles_is_a_plane(kind, surface):
    """No point and no normal shows the seams."""
    mesh = plate() if surface == "plate" else stairs()
    at = (0.137, -0.111, 0.249) if surface == "plate" else (0.537, -0.111, 0.249)
    shapes, X = pair((kind, SOLIDS[kind]), mesh, [at], [mesh.middle])
    data, _ = points_of(shapes, X, margin=0.01)
    plane, _ = points_of(*pair(("plane", ()), (kind, SOLIDS[kind]), [], [at]), margin=0.01)
    np.testing.assert_allclose(data[:, 6:9], [[0, 0, -1]] * len(data), atol=1e-9)
    np.testing.assert_allclose(data[:, 9], -1e-3, atol=1e-9)
    ours, expected = ({tuple(p) for p in np.round(rows, 6) + 0.0} for rows in (data[:, :3], plane[:, 3:6]))
    assert expected <= ours
    # a triangle below the rim between the four corners of a cap gives a point of its own
    assert len(data) <= len(plane) + (5 if kind == "cylinder" else 0)


def test_a_ball_in_a_corner_and_on_an_edge_of_stairs():
    mesh = stairs()

    def at(*p):
        data, _ = points_of(*pair(("sphere", (0.2,)), mesh, [p], [mesh.middle]), margin=0.02)
        return sorted(tuple(np.round(row[6:10], 9) + 0.0) for row in data)

    assert at(0.199, 0.3, 0.198) == [(-1, 0, 0, -0.001), (0, 0, -1, -0.002)]
    (edge,) = at(0.1, 0.3, 1.1)
    assert edge == pytest.approx((-np.sqrt(0.5), 0, -np.sqrt(0.5), 0.1 * np.sqrt(2) - 0.2), abs=1e-9)
    assert at(-0.5, 0.3, 1.21) == [(0, 0, -1, pytest.approx(0.01))]
    assert at(-0.5, 0.0, 1.5) == []


def test_the_peak_below_a_box_is_found():
    points = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0.1, 0.05, 0.3)], dtype=float)
    mesh = checked_mesh("m", points, np.array([(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]))
    data, _ = points_of(*pair(("box", (0.5, 0.5, 0.1)), mesh, [(0, 0, 0.398)], [mesh.middle]), margin=0.01)
    assert len(data) == 1
    np.testing.assert_allclose(data[0], [0.1, 0.05, 0.298, 0.1, 0.05, 0.3, 0, 0, -1, -0.002], atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(kind=st.sampled_from(("sphere", "capsule", "box", "hull")), seed=st.integers(0, 2**32 - 1))
def test_distances_to_meshes_agree_with_coal(kind, seed):
    rng = np.random.default_rng(seed)
    mesh = stairs()
    size = rng.uniform(0.05, 0.4, 3)
    first = hull_of(rng.normal(size=(12, 3)) * 0.2) if kind == "hull" else (kind, size)
    place = rng.normal(size=3)
    place *= rng.uniform(1.8, 3.0) / np.linalg.norm(place)
    poses = [(place, Rotation.random(rng=rng).as_matrix()), (mesh.middle, np.eye(3))]
    shapes, X = pair(first, mesh, *poses)
    least, _ = points_of(shapes, X, least=True)
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend([np.array(p) for p in mesh.points])
    triangles.extend([coal.Triangle(*(int(i) for i in t)) for t in mesh.triangles])
    tree = coal.BVHModelOBBRSS()
    tree.beginModel(len(mesh.triangles), len(mesh.points))
    tree.addSubModel(points, triangles)
    tree.endModel()
    theirs = coal_convex(first) if kind == "hull" else geometry(kind, size)
    distance, _ = coal_distance(theirs, tree, X)
    if distance > 1e-6:
        assert least[0, 9] == pytest.approx(distance, abs=1e-6)
    data, _ = points_of(shapes, X, margin=4.0)
    assert data[:, 9].min() == pytest.approx(least[0, 9], abs=1e-12)
