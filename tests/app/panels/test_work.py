"""Work on material on the page: the face as a mesh, numbers, plots."""

import numpy as np
import pytest

import treadle as td
from treadle.app.depth_colors import depth_colors, legend_html, scale_of
from treadle.app.panels.work import face_mesh
from treadle.process.rock_face import RockFace
from treadle.studies.rock_rig import RigRun, rig


def test_the_mesh_of_a_face_looks_out_of_the_rock():
    face = RockFace.flat((1.0, 0.0, 0.0), (2.0, 1.0), 0.05)
    face.heights[5:9, 5:9] -= 0.3
    points, triangles, colors = face_mesh(face, 0.5)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert (normals @ face.X_WS[:3, 2] > 0.0).all()
    assert points[:, 0].max() == np.float32(1.3)
    # where it was cut it has another colour, and all of it one
    deep = points[:, 0] > 1.2
    assert len(np.unique(colors[deep], axis=0)) == len(np.unique(colors[~deep], axis=0)) == 1
    assert (colors[deep][0] != colors[~deep][0]).any()


def test_colours_go_with_the_depth():
    depth = np.linspace(0.0, 3e-6, 7)
    assert scale_of(depth) == pytest.approx(5e-6) and scale_of(0.0 * depth) == pytest.approx(1e-6)
    colors = depth_colors(depth, (176, 180, 188), 5e-6).astype(int)
    assert colors[0].tolist() == [176, 180, 188, 255]
    assert len(np.unique(colors, axis=0)) == len(depth)
    assert "5 um" in legend_html((176, 180, 188), 5e-6) and "200 mm" in legend_html((1, 2, 3), 0.2)


def test_a_machine_that_cuts_has_a_tab_with_its_numbers(live, until):
    app = live(td.Simulation(rig(RigRun("axial")).compile(), dt=5e-3))
    panel = app.stage.work
    until(lambda: "specific energy" in panel._texts["rock"].content)
    assert any("power" in title for title in app.stage.plots.plots)
    assert "rock" in panel._nodes


def test_others_have_none(live):
    app = live(td.Simulation(td.scene("pendulum")))
    assert not hasattr(app.stage, "work")
