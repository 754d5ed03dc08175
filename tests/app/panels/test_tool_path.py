"""The tool path on the page: drawn, edited, dragged, tuned, undone; the colours of what is removed."""

import numpy as np
import pytest

import treadle as td
from treadle.process.path_plan import PathPlan


@pytest.fixture
def app(live):
    sim = td.Simulation(td.scene("grinding"))
    app = live(sim)
    app.pace.pause()
    return app


def done(app):
    """Wait until the loop has done what was asked of it."""
    app.send(lambda sim: None).result()


def test_the_path_of_the_machine_is_drawn_and_its_fields_are_filled(app):
    panel = app.stage.work.paths["grinding"]
    assert panel.points.value == "450, 0; 550, 0"
    assert panel.numbers_mm["feed"].value == 20.0 and panel.numbers_mm["offset"].value < -0.3
    line = panel._line.points
    assert len(line) > 100 and line[..., 0].min() == pytest.approx(0.44, abs=1e-3)
    assert panel.stated() == app.sim.processes["grinding"].plan


def test_fields_change_the_path_and_apply_makes_the_routine_follow_it(app, click):
    panel, before = app.stage.work.paths["grinding"], app.sim.model
    panel.numbers_mm["feed"].value = 40.0
    panel.points.value = "470, 5; 530, 5"
    assert panel._line.points[..., 1] == pytest.approx(0.005, abs=1e-6)
    assert app.sim.model is before
    click(panel.apply)
    done(app)
    tool = app.sim.processes["grinding"]
    assert tool.plan.feed == pytest.approx(0.04) and tool.plan.points[0] == pytest.approx((0.47, 0.005))
    assert app.stage.routine._routine.seconds < td.Routine(before).seconds
    # the arm is over the new path at its middle
    routine = td.Routine(app.sim.model)
    commands = routine.commands(2.0 + 0.5 * (routine.seconds - 2.0))
    q = [commands[f"axis_{k}"] for k in range(1, 7)]
    assert td.frame_pose(app.sim.model, q, "pad_tip")[:2, 3] == pytest.approx([0.5, 0.005], abs=1e-3)
    app.stage.edit.go("Undo")
    done(app)
    assert app.sim.processes["grinding"].plan.feed == pytest.approx(0.02)
    assert panel.points.value == "450, 0; 550, 0"


def test_patterns(app):
    panel = app.stage.work.paths["grinding"]
    single = len(panel._line.points)
    panel.pattern.value = "zigzag"
    assert len(panel._line.points) > 2 * single
    panel.pattern.value, panel.points.value, panel.lead.value = "spiral", "500, 0", "0, 0"
    radius = np.linalg.norm(panel._line.points[:, 1, :2] - [0.5, 0.0], axis=1)
    assert radius.max() == pytest.approx(0.012, rel=0.02)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("points", "470, x", "pairs of numbers"),
        ("points", "470, 0; 900, 0", "leaves the surface"),
        ("lead", "3", "pairs of numbers"),
    ],
)
def test_what_makes_no_path_is_said(app, field, value, message):
    panel = app.stage.work.paths["grinding"]
    getattr(panel, field).value = value
    assert panel.outcome.visible and message in panel.outcome.content
    panel.apply.value = True
    done(app)
    assert app.sim.processes["grinding"].plan.points[0] == (0.45, 0.0)


def test_points_can_be_dragged(app):
    panel = app.stage.work.paths["grinding"]
    panel.dragging.value = True
    assert len(panel._handles) == 2
    panel.drag(1, (0.52, 0.01))
    assert panel.points.value == "450, 0; 520, 10"
    assert panel._handles[1].position[:2] == pytest.approx([0.52, 0.01])
    panel.dragging.value = False
    assert not panel._handles


def test_a_tuned_path_has_the_force_all_along(app, click):
    panel = app.stage.work.paths["grinding"]
    panel.force.value = 6.0
    click(panel.tune)
    done(app)
    assert "% off 6 N" in panel.outcome.content
    model = app.sim.model
    plan = app.sim.processes["grinding"].plan
    assert isinstance(plan.offset, tuple) and panel.stated() == plan
    sim, routine, forces = td.Simulation(model), td.Routine(model), []
    while sim.time < routine.seconds:
        for name, command in routine.commands(sim.time + sim.dt).items():
            sim.actuator(name).command = command
        sim.step()
        x = td.frame_pose(model, sim.q, "pad_tip")[0, 3]
        # after two seconds it has come to the beginning of the path
        if sim.time > 2.0 and abs(x - 0.5) < 0.045:
            forces.append(sim.processes["grinding"].normal_force)
    # the whole arm, over the seam too
    assert np.abs(np.array(forces) / 6.0 - 1.0).max() < 0.05


def test_what_is_removed_is_coloured_while_it_grinds(app, until, click):
    work = app.stage.work
    until(lambda: "grinding" in work._nodes)
    fresh = work._nodes["grinding"]
    click(app.stage.routine.button)
    app.pace.speed = 20.0
    until(lambda: app.sim.processes["grinding"].volume > 1e-11)
    until(lambda: work._nodes["grinding"] is not fresh)
    until(lambda: "um" in work._legends["grinding"].content)
    assert "normal force" in " ".join(app.stage.plots.plots)
    work.colored.value = False
    until(lambda: work._legends["grinding"].content == "")


def test_the_workpiece_stays_worn_when_the_path_is_changed(app, click):
    app.send(lambda sim: sim.processes["grinding"].face.heights.__isub__(1e-6)).result()
    panel = app.stage.work.paths["grinding"]
    panel.numbers_mm["feed"].value = 30.0
    click(panel.apply)
    done(app)
    assert app.sim.processes["grinding"].face.depth.min() == pytest.approx(1e-6)


def test_plans_go_to_settings_and_back():
    plan = PathPlan(((0.0, 0.0), (0.1, 0.0)), offset=(1e-4, 2e-4), lead=(0.01, 0.002))
    assert PathPlan.of(plan.to_dict()) == plan
