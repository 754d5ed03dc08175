"""Wheels, contact, servos and a coupling in one step: forces, momentum and grasp of a mobile manipulator."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.mobile_manipulator import BLOCK_MASS, CRATE_MASS

G = 9.81
THINGS = ("crate", "block")
#: Friction of wood on the ground: both have 0.5.
MU = 0.5


@pytest.fixture(scope="module")
def model():
    return td.scene("mobile-manipulator")


def ground_force(sim):
    """Force (N) of wheels and contacts on everything; the rover drives along x."""
    wheels = sum(sim.wheel(wheel.name).force for wheel in sim.model.wheels)
    return wheels + sum(sim.contact_between("terrain", thing).force for thing in THINGS)


def momentum(sim):
    """Linear momentum (N s) of all bodies."""
    total = np.zeros(3)
    for link in sim.model.links:
        body = sim.body(link.name)
        arm = body.pose[:3, :3] @ np.array([link.center.x, link.center.y, link.center.z])
        total += link.mass * (body.velocity[3:] + np.cross(body.velocity[:3], arm))
    return total


def test_at_rest_the_ground_carries_the_weight(model):
    sim = td.Simulation(model)
    sim.run(2.0)
    weight = model.mass * G
    np.testing.assert_allclose(ground_force(sim), (0.0, 0.0, weight), atol=1e-6 * weight)
    on_crate = sim.contact_between("terrain", "crate").force[2]
    assert on_crate == pytest.approx((CRATE_MASS + BLOCK_MASS) * G, rel=1e-6)


def test_momentum_and_friction_while_it_pushes(model):
    sim, routine = td.Simulation(model), td.Routine(model)
    routine.run(sim, seconds=2.8)
    weight, worst = np.array([0.0, 0.0, -model.mass * G]), 0.0
    for _ in range(50):
        before = momentum(sim)
        routine.run(sim, seconds=sim.dt, start=sim.time)
        given = (ground_force(sim) + weight) * sim.dt
        worst = max(worst, np.abs(momentum(sim) - before - given)[[0, 2]].max())
    # against what gravity gives in a step
    assert worst < 1e-6 * model.mass * G * sim.dt
    # the crate slides: friction is at its bound, under its weight and what the bumper presses it down
    ground = sim.contact_between("terrain", "crate").force
    assert -ground[0] == pytest.approx(MU * ground[2], rel=1e-6)
    pushed = sim.contact_between("chassis", "crate").force
    assert pushed[0] > 20.0
    assert pushed[2] + ground[2] == pytest.approx((CRATE_MASS + BLOCK_MASS) * G, rel=1e-6)
    assert sim.contact_between("chassis", "crate").penetration < 1e-6


def test_the_block_is_held_by_friction_and_laid_on_the_deck(model):
    sim, routine = td.Simulation(model), td.Routine(model)
    routine.run(sim, seconds=8.5)
    sim.run(0.5)
    hand = lambda: np.linalg.inv(sim.body("hand").pose) @ sim.body("block").pose  # noqa: E731
    start = hand()
    sim.run(0.5)
    np.testing.assert_allclose(hand(), start, atol=1e-8)
    held = sum(sim.contact_between(jaw, "block").force for jaw in ("left_jaw", "right_jaw"))
    np.testing.assert_allclose(held, (0.0, 0.0, BLOCK_MASS * G), atol=1e-6 * BLOCK_MASS * G)
    assert sim.contact_between("right_jaw", "block").force[1] > 10.0
    # swung round to the deck it stays in its place
    routine.run(sim, seconds=2.5, start=8.5)
    np.testing.assert_allclose(hand(), start, atol=1e-3)
    routine.run(sim, start=11.0)
    on_deck = sim.body("block").position - sim.body("chassis").position
    np.testing.assert_allclose(on_deck, (-0.14, 0.0, 0.24), atol=5e-3)
    sim.run(1.0)
    assert sim.contact_between("chassis", "block").force[2] == pytest.approx(BLOCK_MASS * G, rel=1e-6)
    assert sim.quality().measure("energy drift").rating == "good"


def test_a_batch_has_the_bits_of_a_simulation(model):
    sim, worlds = td.Simulation(model), td.Batch(model, 2)
    routine, names = td.Routine(model), [actuator.name for actuator in model.actuators]
    for _ in range(25):
        # until the bumper has pushed the crate
        now = routine.commands(sim.time)
        for name, value in now.items():
            sim.actuator(name).command = value
        worlds.commands = np.array([now.get(name, 0.0) for name in names])
        sim.step(40)
        worlds.step(40)
    assert sim.body("crate").position[0] > 0.7
    for q, v in zip(worlds.q, worlds.v, strict=True):
        np.testing.assert_array_equal(q, sim.q)
        np.testing.assert_array_equal(v, sim.v)
