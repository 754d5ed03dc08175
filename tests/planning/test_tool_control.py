"""Control of a whole arm along a tool path: position, impedance and direct force control."""

import numpy as np
import pytest

import treadle as td
from treadle.planning.tool_control import ForceLoop, ToolControl, with_workpiece
from treadle.planning.tool_motion import servo_commands
from treadle.planning.tool_plan import planned_motion
from treadle.process.path_plan import PathPlan
from treadle.process.types import processes_of
from treadle.scenes.grinding import TOP, grinding


@pytest.fixture(scope="module")
def arm():
    model = grinding().compile()
    tool = processes_of(model)["grinding"]
    plan = PathPlan(((TOP[0] - 0.027, 0.0), (TOP[0] - 0.015, 0.0)), offset=-4e-4, feed=0.02)
    return model, planned_motion(model, tool, plan), tool.pad.stiffness(5.0)


def forces(control, model=None, steps=None):
    sim = control.simulation(model)
    tool, found = sim.processes["grinding"], []
    for _ in range(steps or round(control.motion.end / sim.dt)):
        sim.step()
        found.append(tool.normal_force)
    return np.array(found), sim


def test_position_control_is_that_of_the_servos(arm):
    model, motion, _ = arm
    controlled, sim = forces(ToolControl(model, "pad_tip", motion), steps=200)
    assert sim.controllers.reports[0].way == "called back"
    sim = td.Simulation(model, dt=1e-3, q=motion(0.0)[0])
    expected = []
    for _ in range(200):
        for name, command in servo_commands(model, *motion(sim.time)).items():
            sim.actuator(name).command = command
        sim.step()
        expected.append(sim.processes["grinding"].normal_force)
    assert np.allclose(controlled, expected, rtol=1e-5)


@pytest.mark.parametrize("offset", [0.0, 1e-4, -1e-4])
def test_force_loops_keep_the_force_where_the_workpiece_is_elsewhere(arm, offset):
    model, motion, stiffness = arm
    elsewhere = with_workpiece(model, stiffness_factor=1.1, offset=offset)
    kept, _ = forces(ToolControl(model, "pad_tip", motion), elsewhere)
    soft = ToolControl(
        model, "pad_tip", motion, ForceLoop.by_impedance(5.0, 2e3, contact_stiffness=stiffness)
    )
    led = ToolControl(model, "pad_tip", motion, ForceLoop.by_force(5.0, stiffness))
    end = slice(-100, -20)
    impedance, sim = forces(soft, elsewhere)
    # m z'' + d z' + k z = F - Fd, at rest
    assert impedance[end] - 5.0 == pytest.approx(2e3 * soft.shift, abs=0.03)
    assert np.abs(impedance[end] - 5.0).mean() < 0.25 * np.abs(kept[end] - 5.0).mean()
    force, _ = forces(led, elsewhere)
    assert np.abs(force[end] - 5.0).max() < 0.02
    # the tool is where the shift says
    wanted = td.frame_pose(model, motion(min(sim.time, motion.end))[0], "pad_tip")
    moved = td.frame_pose(model, sim.q, "pad_tip")
    out = -wanted[:3, 2]
    assert (moved[:3, 3] - wanted[:3, 3]) @ out == pytest.approx(soft.shift, abs=1e-5)


def test_the_approach_in_the_air_has_a_speed_and_an_end(arm):
    model, motion, stiffness = arm
    away = with_workpiece(model, offset=-0.05)
    loop = ForceLoop.by_force(5.0, stiffness, travel=1e-3, speed=0.01)
    control = ToolControl(model, "pad_tip", motion, loop)
    force, _ = forces(control, away, steps=50)
    assert not force.any() and control.shift == pytest.approx(-50 * 1e-3 * 0.01)
    forces(control, away, steps=200)
    assert control.shift == -1e-3


def test_wrong_loops_are_explained(arm):
    model, motion, stiffness = arm
    with pytest.raises(td.InputError, match="force must be positive"):
        ForceLoop.by_force(0.0, stiffness)
    with pytest.raises(td.InputError, match="all else must be positive"):
        ForceLoop.by_force(5.0, 0.0)
    with pytest.raises(td.InputError, match="no process 'milling'"):
        ToolControl(model, "pad_tip", motion).simulation(process="milling")
