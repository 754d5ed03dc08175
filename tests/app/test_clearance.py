"""The least distance of two surfaces, against a convex program and closed forms."""

import numpy as np
import pytest
import trimesh
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from treadle.app.clearance import clearance


def triangles(mesh) -> np.ndarray:
    return np.asarray(mesh.vertices)[np.asarray(mesh.faces)]


def box(random) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles of a box, its middle, and its half axes as columns."""
    half = random.uniform(0.05, 1.0, 3)
    turn, middle = Rotation.random(random_state=random).as_matrix(), random.uniform(-2.0, 2.0, 3)
    mesh = trimesh.creation.box(2.0 * half)
    return triangles(mesh) @ turn.T + middle, middle, turn * half


@pytest.mark.parametrize("seed", range(60))
def test_boxes(seed):
    random = np.random.default_rng(seed)
    first, middle, axes = box(random)
    second, other, others = box(random)
    # points of solid boxes are nearest where this is least; 0 where they overlap
    found = lsq_linear(np.hstack([axes, -others]), other - middle, (-1.0, 1.0), tol=1e-14)
    expected = np.sqrt(2.0 * found.cost)
    points = clearance(first, second)
    apart = float(np.linalg.norm(points[1] - points[0]))
    if expected > 1e-6:
        assert apart == pytest.approx(expected, rel=1e-6, abs=1e-9)
    for point, (centre, sides) in zip(points, ((middle, axes), (other, others)), strict=True):
        # each is on its own surface
        local = np.linalg.solve(sides, point - centre)
        assert np.abs(local).max() == pytest.approx(1.0, abs=1e-6)


def test_surfaces_that_meet_have_no_clearance():
    plate = triangles(trimesh.creation.box((2.0, 2.0, 0.1)))
    rod = triangles(trimesh.creation.box((0.1, 0.1, 3.0)))
    points = clearance(rod, plate)
    np.testing.assert_allclose(points[0], points[1], atol=1e-12)


def test_a_face_between_corners_is_found():
    """No corner of the two is near the place where they are nearest."""
    floor = np.array([[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]])
    needle = np.array([[[0.0, 0.0, 0.5], [0.1, 0.0, 8.0], [0.0, 0.1, 8.0]]])
    points = clearance(needle, floor)
    np.testing.assert_allclose(points, [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0]], atol=1e-12)


def test_crossed_edges():
    first = np.array([[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]])
    second = np.array([[[0.0, -1.0, 0.2], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]]])
    np.testing.assert_allclose(clearance(first, second), [[0, 0, 0], [0, 0, 0.2]], atol=1e-12)
