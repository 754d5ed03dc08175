"""The grinding scene: the routine goes over the seam with a force that its sensor reads."""

import numpy as np

import treadle as td


def test_the_routine_presses_on_the_workpiece_and_harder_on_the_seam():
    model = td.scene("grinding")
    sim, routine = td.Simulation(model), td.Routine(model)
    rows = []
    while sim.time < routine.seconds:
        for name, command in routine.commands(sim.time).items():
            sim.actuator(name).command = command
        sim.step()
        force = sim.contact_on("spindle").force
        tip = td.frame_pose(model, sim.q, "pad_tip")[:3, 3]
        rows.append((tip[0], np.linalg.norm(force), np.linalg.norm(sim.sensor("tool_force").value[3:])))
    x, contact, sensed = np.array(rows).T
    touching = contact > 0.5
    assert 0.44 < x[touching].min() < 0.47 and 0.53 < x[touching].max() < 0.56
    on_seam = touching & (np.abs(x - 0.5) < 0.004)
    beside = touching & (np.abs(x - 0.5) > 0.015) & (np.abs(x - 0.5) < 0.045)
    assert contact[on_seam].max() > 2.0 * np.median(contact[beside])
    assert 2.0 < np.median(contact[beside]) < 10.0
    # the sensor carries the tool's weight, and less of it where the pad is pressed
    assert np.ptp(sensed) > 2.0
