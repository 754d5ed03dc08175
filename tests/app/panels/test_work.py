"""Work on material on the page: the face as a mesh, numbers, plots."""

import numpy as np

import treadle as td
from treadle.app.panels.work import face_mesh
from treadle.process.rock_face import RockFace
from treadle.studies.rock_rig import RigRun, rig


def test_the_mesh_of_a_face_looks_out_of_the_rock():
    face = RockFace.flat((1.0, 0.0, 0.0), (2.0, 1.0), 0.05)
    face.heights[5:9, 5:9] -= 0.3
    points, triangles, colors = face_mesh(face)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert (normals @ face.X_WS[:3, 2] > 0.0).all()
    assert points[:, 0].max() == np.float32(1.3)
    # where it was cut it is darker
    deep = points[:, 0] > 1.2
    assert colors[deep, 0].max() < colors[~deep, 0].min()


def test_a_machine_that_cuts_has_a_tab_with_its_numbers(live, until):
    app = live(td.Simulation(rig(RigRun("axial")).compile(), dt=5e-3))
    panel = app.stage.work
    until(lambda: "specific energy" in panel._texts["rock"].content)
    assert any("power" in title for title in app.stage.plots.plots)
    assert "rock" in panel._nodes


def test_others_have_none(live):
    app = live(td.Simulation(td.scene("pendulum")))
    assert not hasattr(app.stage, "work")
