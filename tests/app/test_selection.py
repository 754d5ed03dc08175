"""Bodies that are clicked."""

from types import SimpleNamespace

import numpy as np
import pytest

import treadle as td


@pytest.fixture
def app(live):
    app = live(td.Simulation(td.scene("pendulum"), q=[0.7, 0.3]))
    app.pace.pause()
    # what is drawn is where the machine stands
    app.send(app.stage.frame).result()
    return app


def test_the_panels_follow_the_selection(app):
    stage = app.stage
    stage.selection.choose("lower")
    assert (stage.edit.kind.value, stage.edit.name.value, stage.push.body.value) == ("body", "lower", "lower")
    node = stage.scene.nodes["lower"].name
    label = app.server.scene.get_handle_by_name(f"{node}/name of selected")
    assert label is not None
    assert label.text == "lower on joint elbow"
    # the same one again: none
    stage.selection.choose("lower")
    assert stage.selection.body is None
    assert app.server.scene.get_handle_by_name(f"{node}/selected") is None


def test_loads_and_parts_go_where_a_body_was_clicked(app):
    stage = app.stage
    stage.selection.choose("upper", (0.0, 0.01, -0.2))
    assert stage.push.point.value == (0.0, 0.01, -0.2)
    stage.selection.choose("lower", (0.02, 0.0, -0.1))
    assert (stage.push.body.value, stage.push.point.value) == ("lower", (0.02, 0.0, -0.1))
    build = stage.build
    assert (build.first.value, build.first_point.value) == ("upper", (0.0, 0.01, -0.2))
    assert (build.second.value, build.second_point.value) == ("lower", (0.02, 0.0, -0.1))


def test_a_click_meets_the_body_where_it_is_seen(app):
    stage = app.stage
    (mesh, *_), X = stage.scene.meshes["lower"], stage.scene.pose("lower")
    corners = mesh.vertices[mesh.faces[0]].mean(axis=0)
    normal = np.cross(*(mesh.vertices[mesh.faces[0]][1:] - mesh.vertices[mesh.faces[0]][0]))
    normal = normal / np.linalg.norm(normal)
    origin, way = X[:3, :3] @ (corners + 0.5 * normal) + X[:3, 3], -X[:3, :3] @ normal
    event = SimpleNamespace(target=mesh, ray_origin=tuple(origin), ray_direction=tuple(way))
    stage.view._clicked(event, "lower")
    assert stage.selection.body == "lower"
    np.testing.assert_allclose(stage.selection.place, corners, atol=1e-3)
