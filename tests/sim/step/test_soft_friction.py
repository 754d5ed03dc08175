"""Springs and sticking friction at the same points: solved together, in few rounds, without creep."""

import numpy as np
import pytest

import treadle as td


@pytest.fixture(scope="module")
def block():
    """A block on a soft slope, at half of the angle at which it would slide."""
    angle = np.arctan(0.4)
    spec = td.ModelSpec("block on a slope", gravity=(9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)))
    spec.add_material("rubber", friction=0.8, stiffness=2e5, restitution=0.2)
    spec.add_shape("slope", None, "plane", role="collision", material="rubber")
    spec.add_body("block", 2.0, type="box", size=(0.2, 0.1, 0.1))
    spec.add_joint("block", "free", None, "block", position=(0, 0, 0.05))
    spec.add_shape("block", "block", "box", (0.2, 0.1, 0.1), role="collision", material="rubber")
    return spec.compile()


@pytest.mark.parametrize("dt", [2e-3, 2e-2])
def test_block_on_soft_corners_sticks_to_its_place(block, dt):
    sim = td.Simulation(block, dt)
    sim.run(2.0)
    place = sim.body("block").position
    _, sweeps, _, solves = sim.stepper.ready_contact_step().scratch.effort.copy()
    sim.run(10.0)
    np.testing.assert_allclose(sim.body("block").position, place, rtol=0.0, atol=1e-9)
    later = sim.stepper.ready_contact_step().scratch.effort
    assert (later[1] - sweeps) / (later[3] - solves) < 5.0
    # all of its weight stands on the slope
    force = sum(contact.force for contact in sim.contacts())
    np.testing.assert_allclose(force, -2.0 * np.array(block.gravity), rtol=1e-9, atol=1e-9)


def test_soft_pads_hold_a_box_in_few_sweeps():
    sim = td.Simulation(td.scene("gripper", stiffness=1e5))
    routine = td.Routine(sim.model)
    routine.run(sim, 2.0)
    before = sim.stepper.ready_contact_step().scratch.effort.copy()
    routine.run(sim, 0.3, sim.time)
    _, sweeps, _, solves = sim.stepper.ready_contact_step().scratch.effort - before
    assert sweeps / solves < 30.0
    assert sim.quality()["unfinished solves"] < 0.01


@pytest.fixture(scope="module", params=[0.1, 0.325, 0.7])
def striker(request):
    """A rod on a hinge whose end strikes a soft floor: normal and friction act on one degree of freedom."""
    spec = td.ModelSpec("striker")
    spec.add_material("skin", friction=request.param, stiffness=3.9e5, restitution=0.38)
    spec.add_body("rod", 1.0, center=(0, 0, -0.25), inertia=(0.02, 0.02, 0.002))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0))
    spec.add_shape("bob", "rod", "sphere", (0.05,), role="collision", material="skin", position=(0, 0, -0.5))
    spec.add_shape("floor", None, "plane", role="collision", material="skin", position=(0, 0, -0.5))
    return spec.compile()


@pytest.mark.parametrize("dt", [2e-3, 7.3e-3])
def test_a_rod_that_jams_on_a_soft_floor_stops_or_bounces(striker, dt):
    """Friction that sticks leaves a contact nothing to move, and its propagator no time scale of its own."""
    for angle in np.linspace(-1.8, 1.8, 37):
        if abs(angle) < 0.5:
            continue
        sim = td.Simulation(striker, dt, q=[angle])
        start = td.potential_energy(striker, sim.q)
        for _ in range(20):
            sim.run(0.05)
            assert np.isfinite(sim.q).all()
            energy = td.potential_energy(striker, sim.q) + td.kinetic_energy(striker, sim.q, sim.v)
            assert energy < start + 0.02
