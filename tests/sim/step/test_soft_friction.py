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
