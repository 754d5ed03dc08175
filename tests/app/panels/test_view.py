from contextlib import closing

import numpy as np
import pytest

import treadle as td
from tests.app.pages import Page
from treadle.app.cameras import VIEWS, standard_view
from treadle.app.forces import round_force
from treadle.app.overlays import ellipsoid


@pytest.fixture
def app(live):
    return live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))


def test_what_is_drawn_over_the_machine(app, until):
    view, sim = app.stage.view, app.sim
    view.frames.value = True
    assert all(node.show_axes for node in app.stage.scene.nodes.values())
    view.axes.value = True
    assert len(view._axes) == 2
    assert all(arrows.visible for arrows in view._axes)
    view.axes.value = False
    assert not any(arrows.visible for arrows in view._axes)
    view.mass.value = True
    app.pace.pause()
    app.pace.send(lambda sim: None).result()
    until(lambda: np.allclose(view.center.ball.position, td.center_of_mass(sim.model, sim.q), atol=1e-9))
    app.pace.resume()
    view.trail.value = "lower"
    until(lambda: view._trail is not None and len(view._trail.points) > 5)
    lengths = np.linalg.norm(np.array(view._trail.points), axis=1)
    # its origin is the end of the upper rod
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)
    view.trail.value = "none"
    assert view._trail is None


def test_an_ellipsoid_has_the_inertia_of_its_link(app):
    for half in ((0.3, 0.2, 0.1), (0.5, 0.5, 0.1)):
        a, b, c = (x * x for x in half)
        spec = td.ModelSpec("one")
        spec.add_body("one", 3.0, inertia=(0.6 * (b + c), 0.6 * (a + c), 0.6 * (a + b)))
        spec.add_joint("free", "free", None, "one")
        found = ellipsoid(spec.compile().links[0])
        assert found is not None
        np.testing.assert_allclose(sorted(found[0]), sorted(half), rtol=1e-12)
    app.stage.view.inertia.value = True
    assert all(mesh.visible for mesh in app.stage.view._ellipsoids)
    assert len(app.stage.view._ellipsoids) == 2


def test_opacity_and_visibility(app):
    view, scene = app.stage.view, app.stage.scene
    view.opacity.value = 0.5
    assert [mesh.opacity for meshes in scene.meshes.values() for mesh in meshes] == [0.5, 0.5]
    view.opacity.value = 1.0
    assert scene.meshes["lower"][0].opacity is None
    view.parts["upper"].value = False
    assert not scene.nodes["upper"].visible
    view.parts["ground"].value = False
    assert not scene.ground.visible
    view.shadows.value = False
    assert not any(lamp.cast_shadow for lamp in scene.lamps)


def test_views_look_at_the_machine_from_where_they_say(app):
    low, high = app.stage.scene.bounds
    for name, direction in VIEWS.items():
        view = standard_view(app.stage.scene, name)
        np.testing.assert_allclose(view.look_at, 0.5 * (low + high))
        way = np.array(view.position) - np.array(view.look_at)
        np.testing.assert_allclose(way / np.linalg.norm(way), np.array(direction) / np.linalg.norm(direction))


def test_contact_forces_carry_the_weight(live, until):
    spec = td.ModelSpec("block")
    spec.add_body("block", 3.0, inertia=td.box_inertia(3.0, 0.2, 0.2, 0.2))
    spec.add_joint("base", "free", None, "block")
    spec.add_material("steel", restitution=0.0, friction=0.5)
    spec.add_shape("cube", "block", "box", size=(0.2, 0.2, 0.2), role="collision", material="steel")
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -0.1), material="steel")
    sim = td.Simulation(spec.compile())
    # the first step may have to wait for its kernels
    sim.step()
    app = live(sim)
    view = app.stage.view
    view.contacts.value = True

    def weight() -> float:
        arrows = np.asarray(view.forces.arrows.points, dtype=float)
        return float(np.abs((arrows[:, 1] - arrows[:, 0])[:, 2].sum() / view.forces.scale))

    until(lambda: weight() == pytest.approx(3.0 * 9.81, rel=0.05))
    # what pages show under the pointer
    assert all(text.endswith("N") for *_, text in view.forces.numbers)


def test_forces_of_the_ground_on_wheels_carry_a_vehicle(live, until):
    sim = td.Simulation(td.scene("rocky7"))
    weight = 9.81 * sum(float(link.mass) for link in sim.model.links)
    app = live(sim)
    forces = app.stage.view.forces
    app.stage.view.contacts.value = True

    def carried() -> float:
        arrows = np.asarray(forces.arrows.points, dtype=float)
        return float((arrows[:, 1] - arrows[:, 0])[:, 2].sum() / forces.scale)

    until(lambda: carried() == pytest.approx(weight, rel=0.05))
    # no arrow is longer than the one that the legend names, which is not much longer than the longest
    until(lambda: 0.5 * forces.named <= forces.largest <= forces.named)
    assert "ground on wheels" in forces.legend
    app.stage.view.contacts.value = False
    assert forces.legend == ""


@pytest.mark.parametrize(
    ("force", "named"), [(1.0, 1.0), (1.1, 1.5), (34.0, 50.0), (61.0, 70.0), (999.0, 1000.0), (0.0, 1e-9)]
)
def test_named_forces_are_round(force, named):
    assert round_force(force) == pytest.approx(named)


def test_views_are_saved_and_found_again(app, until):
    view = app.stage.view
    with closing(Page(app.server)) as page:
        start = page.handle.camera.position.copy()
        page.set(view.save, True)
        until(lambda: list(view.views) == ["view 1"])
        page.handle.camera.position = (0.0, 5.0, 5.0)
        page.set(view.saved, "view 1")
        until(lambda: np.allclose(page.handle.camera.position, start))
        np.testing.assert_allclose(page.handle.camera.look_at, view.views["view 1"].look_at)


def test_a_camera_turns_about_the_selected_body(app, until, monkeypatch):
    stage, asked = app.stage, []
    app.pace.pause()
    app.send(lambda sim: None).result()
    monkeypatch.setattr(stage.presenter, "aim", lambda task, clients, opened: asked.append((task, clients)))
    stage.selection.choose("lower")
    X, corners = stage.scene.pose("lower"), stage.scene.body_corners("lower")
    around = corners @ X[:3, :3].T + X[:3, 3]
    with closing(Page(app.server)) as page:
        page.set(stage.view.closer, True)
        # the page was aimed at all of it when it was opened
        until(lambda: any(np.shape(task["points"]) == np.shape(around) for task, _ in asked))
        task, clients = next(item for item in asked if np.shape(item[0]["points"]) == np.shape(around))
        assert clients == [page.number]
        np.testing.assert_allclose(task["points"], around, atol=1e-6)
