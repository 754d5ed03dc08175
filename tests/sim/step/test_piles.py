"""Many bodies on each other, where sweeps have a hard time."""

import numpy as np

import treadle as td
from treadle.scenes.marbles import marbles
from treadle.studies.gauntlet.piles import pile


def test_a_pile_with_rolling_and_spinning_resistance_loses_energy_and_comes_to_rest():
    spec = marbles(count=24, restitution=0.0, friction=0.2)
    # without the second, one that touches at one point alone may spin there forever
    spec.materials[0].rolling_friction = spec.materials[0].spinning_friction = 2e-4
    sim = td.Simulation(spec.compile(), dt=0.005)
    least = np.inf
    for _ in range(240):
        sim.step()
        energy = td.kinetic_energy(sim.model, sim.q, sim.v) + td.potential_energy(sim.model, sim.q)
        # what is taken out of each other lifts a little
        assert energy < least + 1e-3
        least = min(least, energy)
    assert np.abs(sim.v).max() < 0.01
    # then every step starts from what holds it, the stop of the slide under it too
    sim.step(60)
    before = sim.contact_step.scratch.effort[1]
    sim.step(20)
    assert sim.contact_step.scratch.effort[1] - before == 20


def test_what_collides_in_clutter_is_not_located_one_by_one():
    case = pile(np.random.default_rng(1), 24)
    sim = td.Simulation(case.model, dt=0.01, contact=True)
    sim.step(80)
    # locating three stops in each step takes 13 solves a step on average
    assert sim.contact_step.scratch.effort[3] < 80 * 10
    sim.step(220)
    assert np.abs(sim.v).max() < 0.05
