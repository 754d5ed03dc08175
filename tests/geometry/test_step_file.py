"""STEP files: read by a process of their own, whose crash is an error of the file."""

from itertools import islice

import numpy as np
import pytest

import treadle as td
from tests.mutants import PLATE, mutants
from treadle.geometry import step_file
from treadle.process.surface import Surface


def test_triangles_are_in_metres():
    # a slab cut from a cylinder of 250 mm along y; the file is in millimetres
    points, triangles = step_file.read_step(PLATE, tolerance=1e-4, angle=0.1)
    np.testing.assert_allclose(points.min(axis=0), [-0.1, -0.05, 0.2], atol=1e-6)
    np.testing.assert_allclose(points.max(axis=0), [0.1, 0.05, 0.25], atol=1e-6)
    assert triangles.max() < len(points)


def test_a_file_that_crashes_open_cascade(tmp_path):
    """The second mutant ended the whole process, when the file was read in it."""
    path = tmp_path / "damaged.step"
    *_, content = islice(mutants(PLATE.read_bytes(), 2, seed=1), 2)
    path.write_bytes(content)
    with pytest.raises(td.ModelError, match=r"damaged\.step: is not a STEP file"):
        Surface.of_mesh(path, (-0.01, 0.01), (-0.01, 0.01), 0.005)


def test_what_is_not_a_step_file(tmp_path):
    path = tmp_path / "plate.stp"
    with pytest.raises(td.ModelError, match="is not a file"):
        step_file.read_step(path)
    path.write_text("solid\n")
    with pytest.raises(td.ModelError, match="is not a STEP file that Open CASCADE can read"):
        step_file.read_step(path)


def test_a_file_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(step_file, "_SECONDS", 0.01)
    monkeypatch.setattr(step_file, "_PER_MEGABYTE", 0.0)
    with pytest.raises(td.ModelError, match="was not read within"):
        step_file.read_step(PLATE)


def test_meshes_of_surfaces_are_read_by_treadles_own_reader(tmp_path):
    path = tmp_path / "bad.stl"
    path.write_bytes(b"solid x\nfacet")
    with pytest.raises(td.ModelError):
        Surface.of_mesh(path, (-0.01, 0.01), (-0.01, 0.01), 0.005)
    with pytest.raises(td.InputError, match="a surface needs a mesh of trimesh or a file, not int"):
        Surface.of_mesh(3, (-0.01, 0.01), (-0.01, 0.01), 0.005)


def test_absurd_grids_are_refused():
    with pytest.raises(td.InputError, match="at most 10000000 points"):
        Surface.of_function(lambda x, y: 0 * x, (0.0, 1.0), (0.0, 1.0), 1e-9)
