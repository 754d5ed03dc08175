"""The fluid of a machine that runs: sliders, and what is drawn of forces."""

import numpy as np
import pytest

import treadle as td
from treadle.app.panels.fluid import has_forces
from treadle.app.surroundings import current_arrows, element_lines, force_arrows, surface_points
from treadle.model.hydrodynamics import the_fluid


def test_machines_without_forces_have_no_such_panel(live):
    assert not has_forces(td.scene("pendulum"))
    app = live(td.Simulation(td.scene("pendulum")))
    assert not hasattr(app.stage, "fluid")


def test_a_slider_changes_the_fluid_and_nothing_else(live, until):
    sim = td.Simulation(td.scene("barge", damping=0.2))
    app = live(sim)
    app.pace.pause()
    app.pace.send(lambda sim: None).result()
    before, model = sim.save(), sim.model
    panel = app.stage.fluid
    assert panel.sliders["density"].value == 1000.0
    panel.sliders["density"].value = 800.0
    until(lambda: sim.model is not model)
    app.pace.send(lambda sim: None).result()
    after = sim.save()
    assert (before.time, before.q.tolist()) == (after.time, after.q.tolist())
    fluid = the_fluid(sim.model)
    assert fluid is not None and fluid.density == 800.0
    assert sim.model.elements[0].parameters["density"] == 800.0
    # it can be taken back as every other change
    app.stage.edit.go("Undo")
    until(lambda: sim.model.elements[0].parameters["density"] == 1000.0)


def test_a_current_carries_what_floats(live, until):
    sim = td.Simulation(td.scene("barge", heel=0.0, damping=0.2))
    app = live(sim)
    app.stage.fluid.change(td.Fluid(1000.0, current=(1.0, 0.0, 0.0), surface=0.0))
    until(lambda: sim.v[3] > 0.05)


def test_the_surface_is_where_the_waves_are():
    fluid = td.Fluid(1000.0, surface=2.0, waves=[(0.3, 1.1, 0.0, 0.0)])
    points = surface_points(fluid, np.zeros(3), 10.0, 0.7, 9.81)
    x, z = points[..., 0], points[..., 2]
    np.testing.assert_allclose(z, 2.0 + 0.3 * np.cos(1.1**2 / 9.81 * x - 1.1 * 0.7), atol=1e-12)


def test_arrows_follow_the_current():
    fluid = td.Fluid(1000.0, profile=[(-1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 0.0, 0.0)])
    arrows = current_arrows(fluid, np.full(3, -1.0), np.full(3, 1.0), 0.0)
    lengths = (arrows[:, 1] - arrows[:, 0])[:, 0]
    np.testing.assert_allclose(lengths, (1.0 + arrows[:, 0, 2]) / 3.0, atol=1e-12)
    assert len(current_arrows(td.Fluid(), np.zeros(3), np.ones(3), 0.0)) == 0


def test_springs_and_tendons_are_drawn_where_they_are():
    spec = td.ModelSpec("both")
    spec.add_body("body", 1.0, inertia=(1, 1, 1))
    spec.add_joint("slide", "prismatic", None, "body", axis=(1, 0, 0))
    spec.add_spring("spring", None, "body", (0, 0, 1), (0, 0, 0.5), stiffness=10.0)
    cable = spec.add_tendon("cable", damping=5.0)
    cable.through(None, (-2, 0, 0.3)).around("cylinder", None, 0.5, axis=(0, 1, 0), side=(0, 0, 1))
    cable.through("body", (2, 0, 0.3))
    sim = td.Simulation(spec.compile(), q=[0.4])
    lines = element_lines(sim.model, sim.q)
    np.testing.assert_allclose(lines[0], [[0, 0, 1], [0.4, 0, 0.5]])
    lengths = np.linalg.norm(lines[1:, 1] - lines[1:, 0], axis=1)
    # segments of the arc are a little shorter than the arc
    assert lengths.sum() == pytest.approx(sim.tendon("cable").length, rel=2e-3)
    assert lengths.sum() <= sim.tendon("cable").length + 1e-12
    assert np.hypot(lines[1:, 0, 0], lines[1:, 0, 2]).min() > 0.5 - 1e-9


def test_the_force_on_a_floating_barge_is_its_weight():
    model = td.scene("barge", heel=0.0)
    arrows = force_arrows(model, np.array(model.initial()[0]), np.zeros(model.nv), 0.0, 1.0)
    np.testing.assert_allclose(arrows[0, 1] - arrows[0, 0], [0, 0, 9.81 * 500.0], atol=1e-9)
