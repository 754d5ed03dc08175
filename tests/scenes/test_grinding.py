"""The grinding scene: the routine follows the tool path, grinds the seam, and the sensor feels it."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.grinding import TOP


@pytest.fixture(scope="module")
def run():
    model = td.scene("grinding")
    sim, routine = td.Simulation(model), td.Routine(model)
    tool, rows = sim.processes["grinding"], []
    for step in range(round(routine.seconds / sim.dt)):
        for name, command in routine.commands((step + 1) * sim.dt).items():
            sim.actuator(name).command = command
        sim.step()
        tip = td.frame_pose(model, sim.q, "pad_tip")[:3, 3]
        sensed = np.linalg.norm(sim.sensor("tool_force").value[3:])
        rows.append((sim.time, tip[0], tool.normal_force, sensed))
    return sim, np.array(rows)


def test_the_routine_presses_on_the_workpiece_and_harder_on_the_seam(run):
    _, rows = run
    _, x, force, sensed = rows.T
    touching = force > 0.5
    assert 0.44 < x[touching].min() < 0.46 and 0.54 < x[touching].max() < 0.56
    on_seam = touching & (np.abs(x - 0.5) < 0.004)
    beside = touching & (np.abs(x - 0.5) > 0.015) & (np.abs(x - 0.5) < 0.045)
    assert force[on_seam].max() > 1.3 * np.median(force[beside])
    # less than 5 N: the arm gives way and the workpiece curves away
    assert 4.0 < np.median(force[beside]) < 5.0 and np.ptp(force[beside]) < 0.1
    # the sensor carries the tool's weight, and less of it where the pad is pressed
    assert np.ptp(sensed) > 2.0


def test_the_feed_is_kept(run):
    _, rows = run
    t, x, force, _ = rows.T
    inside = (force > 0.5) & (np.abs(x - 0.5) < 0.04)
    speed = np.diff(x[inside]) / np.diff(t[inside])
    # along a curve whose slope is up to 0.16
    assert speed == pytest.approx(0.02, rel=0.03)


def test_the_seam_loses_more_than_the_rest(run):
    sim, _ = run
    tool = sim.processes["grinding"]
    row = tool.face.depth[len(tool.face.surface.y) // 2]
    seam = row[np.abs(tool.face.surface.x - TOP[0]) < 2e-3].max()
    rest = row[np.abs(tool.face.surface.x - TOP[0] - 0.025) < 5e-3].mean()
    assert seam > 1.2 * rest > 1e-6
    assert tool.volume == pytest.approx(2e-11 * 5.0 * tool.impulse, rel=1e-9)


def test_a_pad_without_stiffness_is_refused():
    with pytest.raises(td.InputError, match="must be positive"):
        td.scene("grinding", stiffness=0.0)
