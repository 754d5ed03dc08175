"""Tool paths on surfaces whose geodesics are known: planes, cylinders and spheres."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.process.surface import Surface
from treadle.process.tool_path import parallel_paths, path_on, spiral, zigzag


def cylinder(radius: float = 0.25) -> Surface:
    """Its axis is along y."""
    return Surface.of_function(
        lambda x, y: np.sqrt(radius**2 - x**2) - radius + 0.0 * y, (-0.1, 0.1), (-0.06, 0.06), 1e-3
    )


def test_offsets_on_a_cylinder_are_straight_when_unrolled():
    surface = cylinder()
    # a helix: straight on the unrolled cylinder, and so are its parallels
    angle = np.linspace(-0.2, 0.15, 200)
    first = path_on(surface, np.column_stack([0.25 * np.sin(angle), -0.02 + 0.05 * angle]), 2e-3)
    paths = parallel_paths(surface, first, 5e-3, 4)
    across = np.array([-0.05, 0.25]) / np.hypot(0.05, 0.25)
    for k, path in enumerate(paths):
        unrolled = np.column_stack([0.25 * np.arcsin(path.points[:, 0] / 0.25), path.points[:, 1]])
        assert np.abs(unrolled @ across - (unrolled[0] @ across)).max() < 2e-6
        assert unrolled[0] @ across == pytest.approx(-0.02 * across[1] + 5e-3 * k, abs=3e-6)


def test_offsets_on_a_sphere_have_the_geodesic_distance():
    surface = Surface.of_function(lambda x, y: np.sqrt(0.04 - x**2 - y**2), (-0.1, 0.1), (-0.1, 0.1), 1e-3)
    first = path_on(surface, [(-0.06, 0.0), (0.06, 0.0)], 2e-3)
    moved = parallel_paths(surface, first, 0.02, 2)[1]
    # from a great circle: the latitude is the distance over the radius
    assert np.abs(0.2 * np.arcsin(moved.points[:, 1] / 0.2) - 0.02).max() < 2e-6


def test_a_spiral_on_a_sphere_has_its_pitch():
    surface = Surface.of_function(lambda x, y: np.sqrt(0.04 - x**2 - y**2), (-0.1, 0.1), (-0.1, 0.1), 1e-3)
    path = spiral(surface, (0.0, 0.0), 5e-3, 4.0, 2e-3)
    radius = 0.2 * np.arccos(np.clip(path.points[:, 2] / 0.2, -1.0, 1.0))
    angle = np.unwrap(np.arctan2(path.points[:, 1], path.points[:, 0]))
    assert np.abs(radius[10:] - 5e-3 * (angle[10:] - angle[0]) / (2.0 * np.pi)).max() < 3e-4
    assert radius[-1] == pytest.approx(0.02, abs=1e-5)


def test_zigzag_and_leads():
    surface = cylinder()
    first = path_on(surface, [(-0.05, 0.0), (0.05, 0.0)], 5e-3)
    joined = zigzag(surface, parallel_paths(surface, first, 4e-3, 3), 5e-3)
    length = 2.0 * 0.25 * np.arcsin(0.2)
    assert joined.lengths[-1] == pytest.approx(3.0 * length + 2.0 * 4e-3, rel=2e-3)
    led = first.with_leads(0.01, 2e-3)
    assert len(led) == len(first) + 16
    start = led.points[0] - first.points[0]
    assert start @ first.normals[0] == pytest.approx(2e-3) and start @ first.directions[0] == pytest.approx(
        -0.01
    )


def test_poses_point_into_the_material():
    path = path_on(cylinder(), [(-0.05, 0.0), (0.05, 0.0)], 5e-3)
    poses = path.poses()
    assert np.abs(np.linalg.det(poses[:, :3, :3]) - 1.0).max() < 1e-9
    assert np.allclose(poses[:, :3, 2], -path.normals) and np.allclose(poses[:, :3, 0], path.directions)
    exact = np.column_stack([path.points[:, 0], 0.0 * path.points[:, 0], path.points[:, 2] + 0.25]) / 0.25
    assert np.abs(path.normals - exact).max() < 1e-5


def test_a_mesh_gives_the_surface_of_its_function():
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.2)
    surface = Surface.of_mesh(ball, (-0.05, 0.05), (-0.05, 0.05), 5e-3)
    x, y = np.meshgrid(surface.x, surface.y)
    assert np.abs(surface.heights - np.sqrt(0.04 - x**2 - y**2)).max() < 5e-4


def test_wrong_input_is_explained():
    surface = cylinder()
    with pytest.raises(td.InputError, match="leaves the surface"):
        path_on(surface, [(0.0, 0.0), (0.5, 0.0)], 1e-3)
    with pytest.raises(td.InputError, match="parallel paths fit"):
        parallel_paths(surface, path_on(surface, [(-0.05, 0.0), (0.05, 0.0)], 5e-3), 0.05, 5)
    with pytest.raises(td.InputError, match="does not cover"):
        Surface.of_mesh(trimesh.creation.box((0.1, 0.1, 0.1)), (-0.2, 0.2), (-0.1, 0.1), 0.02)
    with pytest.raises(td.InputError, match="evenly spaced"):
        Surface([0, 1, 3, 4], [0, 1, 2, 3], np.zeros((4, 4)))


def test_a_surface_from_a_step_file():
    # a slab cut from a cylinder of 250 mm along y
    path = Path(__file__).parent / "data" / "plate.step"
    surface = Surface.of_mesh(path, (-0.06, 0.06), (-0.03, 0.03), 5e-3)
    exact = np.sqrt(0.25**2 - surface.x**2)
    assert np.abs(surface.heights - exact).max() < 2e-5
