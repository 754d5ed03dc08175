"""Meshes as terrain: what is seen from above."""

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.terrain import mesh_grid


def test_a_slope_and_a_roof_over_it():
    points = [(0, 0, 0), (4, 0, 2), (4, 4, 2), (0, 4, 0), (1, 1, 5), (2, 1, 5), (2, 2, 5), (1, 2, 5)]
    grid = mesh_grid(points, [(0, 1, 2), (0, 2, 3), (4, 5, 6), (4, 6, 7)], spacing=0.5)
    assert grid.heights.shape == (9, 9)
    for x, y in ((0.0, 3.0), (3.0, 1.0), (4.0, 4.0), (0.25, 3.3)):
        assert grid.height(x, y) == pytest.approx(0.5 * x)
    assert grid.height(1.5, 1.5) == 5.0


def test_files(tmp_path):
    path = tmp_path / "hill.stl"
    trimesh.creation.icosphere(subdivisions=4, radius=2.0).export(path)
    with pytest.raises(td.InputError, match="holes"):
        td.load_terrain(path, spacing=0.1)
    hill = td.load_terrain(path, spacing=0.1, holes="fill")
    for x, y in ((0.0, 0.0), (1.0, 0.5), (-0.7, 1.1)):
        assert hill.height(x, y) == pytest.approx(np.sqrt(4.0 - x * x - y * y), abs=0.02)
    with pytest.raises(td.InputError, match="spacing"):
        td.load_terrain(path)


@pytest.mark.parametrize(
    "points, triangles, spacing, message",
    [
        ([(0, 0)], [(0, 0, 0)], 1.0, "three finite numbers"),
        ([(0, 0, np.nan)] * 3, [(0, 1, 2)], 1.0, "three finite numbers"),
        ([(0, 0, 0)] * 3, [(0, 1)], 1.0, "three points"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 3)], 1.0, "not there"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], 0.0, "positive length"),
        ([(0, 0, 0), (1e5, 0, 0), (0, 1e5, 0)], [(0, 1, 2)], 0.1, "larger spacing"),
    ],
)
def test_mistakes(points, triangles, spacing, message):
    with pytest.raises(td.InputError, match=message):
        mesh_grid(points, triangles, spacing)
