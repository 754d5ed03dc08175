"""The roadheader behind the page: what people do there is what the same calls do in a script."""

import re

import numpy as np
import pytest

import treadle as td
from treadle.app import Live, open_server


@pytest.fixture(scope="module")
def model():
    return td.scene("roadheader")


@pytest.fixture
def app(model):
    """The page of a machine that stands still until a test takes its steps."""
    with Live(open_server(port=0), td.Simulation(model)) as live:
        yield live


def bits(state) -> list[bytes]:
    return [np.asarray(getattr(state, name)).tobytes() for name in ("time", "q", "v", "drives", "commands")]


def test_a_pull_of_ten_kilonewtons_is_that_force(app, model):
    sim, stage = app.sim, app.stage
    twin = td.Simulation(model)
    free = td.Simulation(model)
    grabs, place = stage.push.grabs, stage.scene.pose("cutting_head")[:3, 3]
    stage.push.limit.value = 10_000.0
    grabs.begin(7, "cutting_head", place + np.array([0.2, 0.0, 0.1]))
    grabs.move(7, place + np.array([0.5, 2.0, 1.5]))
    spring = stage.push.loads.springs["pull 7"]
    for _ in range(12):
        stage.frame(sim)
        assert grabs._held[7].label.text == "10 kN"
        twin.clear_forces()
        twin.apply_force("cutting_head", spring.force, point=spring.point)
        for one in (sim, twin, free):
            one.step(16)
        assert bits(sim.save()) == bits(twin.save())
    assert grabs.forces["cutting_head"] == pytest.approx(10_000.0)
    assert np.abs(sim.q - free.q).max() > 1e-4


def test_a_mass_changes_the_dynamics_and_nothing_else(app, model):
    sim = app.sim
    sim.actuator("lift_left").command = sim.actuator("lift_right").command = 0.6
    sim.step(300)
    before = sim.save()
    app.stage.edit.change("body", "cutting_head", {"mass": "4321.5"})
    app.pace.take_commands()
    after = sim.save()
    assert bits(before) == bits(after)
    heads = [next(link for link in m.links if link.name == "cutting_head") for m in (model, sim.model)]
    ratio = 4321.5 / float(heads[0].mass)
    moments = [np.array(head.rotational.to_rows(), dtype=float) for head in heads]
    np.testing.assert_allclose(moments[1], ratio * moments[0], rtol=1e-12)
    others = [
        [(k.name, float(k.mass)) for k in m.links if k.name != "cutting_head"] for m in (model, sim.model)
    ]
    assert others[0] == others[1]
    # and it goes on as a machine does that was so from the start
    twin = td.Simulation(sim.model)
    twin.restore(after)
    old = td.Simulation(model)
    old.restore(before)
    for one in (sim, twin, old):
        one.step(50)
    assert bits(sim.save()) == bits(twin.save())
    assert np.abs(sim.v - old.v).max() > 1e-6


def test_a_locked_joint_holds(app):
    sim, edit = app.sim, app.stage.edit
    edit.choose("joint", "lift")
    edit.toggle_lock()
    app.pace.take_commands()
    place = sim.joint("lift").position
    sim.actuator("lift_left").command = sim.actuator("lift_right").command = 1.0
    sim.step(500)
    assert sim.joint("lift").position == pytest.approx(place, abs=1e-9)
    edit.toggle_lock()
    app.pace.take_commands()
    sim.step(500)
    assert sim.joint("lift").position > place + 1e-3


def test_five_seconds_back_and_on_again(app):
    sim, stage = app.sim, app.stage
    stage.drive.held_buttons.press(3, "Raise")
    stage.frame(sim)
    for _ in range(11):
        sim.step(500)
    end = sim.save()
    stage.run.back()
    app.pace.take_commands()
    assert sim.time == pytest.approx(0.5)
    sim.step(5000)
    assert bits(sim.save()) == bits(end)


def test_every_control_has_a_tooltip_with_its_unit(app):
    for handle in list(app.server.gui._gui_input_handle_from_uuid.values()):
        props = handle._impl.props
        hint = props.hint
        assert hint, props.label
        unit = re.search(r"\(([^()]+)\)$", props.label)
        if unit is not None:
            assert unit.group(1) in hint, (props.label, hint)
