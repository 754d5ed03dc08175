"""Meshes of hulls, and their added mass by capytaine."""

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.model.hydrodynamics import ellipsoid_added_mass


def test_a_file_becomes_a_closed_mesh(tmp_path):
    """An STL has every corner once per triangle; the hull has it once."""
    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=(2.0, 1.0, 0.5)).export(path)
    found = td.hull_mesh(path)
    assert found["shape"] == "mesh"
    assert len(found["points"]) == 8
    assert len(found["triangles"]) == 12
    spec = td.ModelSpec("barge")
    spec.add_body("barge", 500.0, inertia=(1, 1, 1))
    spec.add_joint("heave", "prismatic", None, "barge")
    td.Fluid(1000.0, surface=0.0).surround(spec)
    spec.add_hull("hull", "barge", **found)
    assert spec.compile().elements[0].parameters["volume"] == pytest.approx(1.0, rel=1e-12)


def test_added_mass_of_a_spheroid_as_lamb_says():
    pytest.importorskip("capytaine", reason="needs the extra hydro (capytaine)")
    mesh = trimesh.creation.icosphere(subdivisions=3)
    half_axes = (1.0, 0.5, 0.5)
    found = td.mesh_added_mass(mesh.vertices * half_axes, mesh.faces, 1000.0)
    expected = ellipsoid_added_mass(half_axes, 1000.0)
    np.testing.assert_allclose(found, expected, atol=0.03 * expected.max())


def test_without_capytaine_an_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "capytaine", None)
    with pytest.raises(td.InputError, match=r"treadle\[hydro\]"):
        td.mesh_added_mass(np.zeros((3, 3)), [[0, 1, 2]])
