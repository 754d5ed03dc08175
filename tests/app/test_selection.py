"""Bodies that are clicked, and what is measured between them."""

from types import SimpleNamespace

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.app.selection import hit


@pytest.fixture
def app(live):
    app = live(td.Simulation(td.scene("pendulum"), q=[0.7, 0.3]))
    app.pace.pause()
    app.send(lambda sim: None).result()
    return app


def clicked(app, body: str, origin, direction) -> None:
    """What happens when someone clicks a body along a ray."""
    mesh = app.stage.scene.meshes[body][0]
    app.stage.view._clicked(SimpleNamespace(target=mesh, ray_origin=origin, ray_direction=direction), body)


def test_a_ray_meets_a_mesh():
    random = np.random.default_rng(4)
    for _ in range(50):
        ball = trimesh.creation.icosphere(subdivisions=1, radius=1.0)
        points = ball.vertices @ np.diag(random.uniform(0.5, 2.0, 3))
        triangles = np.asarray(ball.faces)
        # of a convex shape, a point of a triangle that faces the ray's origin is met first
        corners = points[triangles[random.integers(len(triangles))]]
        target = random.dirichlet(np.ones(3)) @ corners
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal /= np.linalg.norm(normal)
        origin = target + 3.0 * normal
        np.testing.assert_allclose(hit(points, triangles, origin, -normal), target, atol=1e-9)
        assert hit(points, triangles, origin, normal) is None


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


def test_a_tape_between_bodies_that_move(app):
    stage, sim = app.stage, app.sim
    stage.view.measure.value = True
    assert "click a point" in stage.view.tape.text
    for body in ("upper", "lower"):
        middle = stage.scene.pose(body)[:3] @ np.array([*stage.scene.body_corners(body).mean(axis=0), 1.0])
        clicked(app, body, tuple(middle + np.array([0.0, 5.0, 0.0])), (0.0, -1.0, 0.0))
    first, second = stage.view.tape.places()
    assert f"{np.linalg.norm(second - first):.4g} m" in stage.view.tape.text
    app.send(lambda sim: setattr(sim, "q", np.array([sim.q[0], 1.5]))).result()
    app.send(stage.frame).result()
    ends = stage.view.tape.places()
    # the end on the body that did not move is where it was; the other one went along
    np.testing.assert_allclose(ends[0], first, atol=2e-5)
    assert np.linalg.norm(ends[1] - second) > 0.1
    elbow = sim.body("lower").position
    # poses that differ by less than can be seen are not sent
    assert np.linalg.norm(ends[1] - elbow) == pytest.approx(np.linalg.norm(second - elbow), abs=2e-5)
    # a click for the tape selects nothing
    assert stage.selection.body is None
    stage.view.measure.value = False
    assert stage.view.tape.text == ""
