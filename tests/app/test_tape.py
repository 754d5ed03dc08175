"""The measuring tape: what is clicked, and what is measured between it."""

from types import SimpleNamespace

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.app.tape import angle, hit


@pytest.fixture
def app(live):
    app = live(td.Simulation(td.scene("pendulum"), q=[0.7, 0.3]))
    app.pace.pause()
    # however long it ran until now
    app.send(lambda sim: setattr(sim, "q", np.array([0.7, 0.3]))).result()
    app.send(app.stage.frame).result()
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


def middle(app, body: str) -> np.ndarray:
    return app.stage.scene.pose(body)[:3] @ np.array([*app.stage.scene.body_corners(body).mean(axis=0), 1.0])


def test_a_tape_between_bodies_that_move(app):
    stage, sim = app.stage, app.sim
    stage.view.measure.value = "distance"
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
    stage.view.measure.value = "none"
    assert stage.view.tape.text == ""


def test_an_angle_that_turns_with_a_joint(app):
    stage, tape = app.stage, app.stage.view.tape
    stage.view.measure.value = "angle"
    asked = []
    elbow = app.sim.body("lower").position
    for body, place in (("upper", middle(app, "upper")), ("lower", elbow), ("lower", middle(app, "lower"))):
        asked.append(tape.text)
        tape.touch(body, place)
    assert asked == ["click the end of a leg", "click the corner", "click the end of the other leg"]
    before = np.degrees(angle(tape.places()))
    assert tape.text == f"angle {before:.4g} degrees"
    app.send(lambda sim: setattr(sim, "q", np.array([sim.q[0], sim.q[1] + 0.5]))).result()
    app.send(stage.frame).result()
    turned = abs(np.degrees(angle(tape.places())) - before)
    assert turned == pytest.approx(np.degrees(0.5), abs=1e-3)


def test_a_clearance_of_bodies_that_move(live):
    spec = td.ModelSpec("blocks", gravity=(0.0, 0.0, 0.0))
    for name in ("left", "right"):
        spec.add_body(name, 1.0, inertia=td.box_inertia(1.0, 0.2, 0.2, 0.2))
        spec.add_shape(f"{name}_box", name, "box", size=(0.2, 0.2, 0.2))
    spec.add_joint("fixed_left", "prismatic", None, "left", axis=(1.0, 0.0, 0.0))
    spec.add_joint("slide", "prismatic", None, "right", axis=(1.0, 0.0, 0.0))
    app = live(td.Simulation(spec.compile(), q=[0.0, 0.5]))
    app.pace.pause()
    app.send(app.stage.frame).result()
    tape = app.stage.view.tape
    app.stage.view.measure.value = "clearance"
    for body in ("left", "right"):
        tape.touch(body, app.stage.scene.pose(body)[:3, 3])
    assert tape.text.startswith("clearance 0.3 m")
    app.send(lambda sim: setattr(sim, "q", np.array([0.0, 1.0]))).result()
    app.send(app.stage.frame).result()
    assert tape.text.startswith("clearance 0.8 m")


@pytest.mark.parametrize("degrees", [1e-6, 1.0, 90.0, 179.0, 180.0 - 1e-6])
def test_angles(degrees):
    a = np.radians(degrees)
    places = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0 * np.cos(a), 3.0 * np.sin(a), 0.0]])
    assert np.degrees(angle(places)) == pytest.approx(degrees, rel=1e-9)
