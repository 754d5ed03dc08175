"""The default integrator on closed machines: the energy swings, and does not drift."""

import numpy as np
import pytest

import treadle as td
from tests.energy import stored_energy
from tests.loops import CLOSING_KINDS, TIES, swinging_machine
from treadle.studies.closed_energy import MACHINES, swing

#: Of machines that a step of 1 ms resolves: three for every kind of joint that closes loops.
SEEDS = range(22, 22 + 3 * len((*CLOSING_KINDS, *TIES)))


@pytest.mark.parametrize("name", MACHINES)
def test_the_energy_of_a_closed_machine_stays_for_a_minute(name):
    errors, moved = swing(MACHINES[name](), 60.0)
    assert np.abs(errors).max() < 0.01 * moved
    # no trend: the mean over the last seconds is that over the first
    assert abs(errors[-200:].mean() - errors[:200].mean()) < 1e-3 * moved


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_the_energy_is_bounded_over_a_million_steps(name):
    errors, moved = swing(MACHINES[name](), 1000.0)
    tenth = len(errors) // 10
    assert np.abs(errors).max() < 0.01 * moved
    assert abs(errors[-tenth:].mean() - errors[:tenth].mean()) < 0.003 * moved


@pytest.mark.parametrize("seed", SEEDS)
def test_random_closed_machines_keep_their_energy(seed):
    """Whatever joint closes the loop, and however the masses differ.

    The velocity of a kick and drift is that of the middle of the last step: half of what the next kick adds
    to the kinetic energy is no error. Without it less is left than one percent of what moves, and with it no
    more than that where the step resolves the motion.
    """
    model, q, v = swinging_machine(seed)
    sim = td.Simulation(model, 1e-3, q=q, v=v)
    still = np.zeros(model.nv)
    first, errors, kicks, moved = stored_energy(model, sim.q, sim.v), [], [], 0.0
    for _ in range(100):
        sim.step(49)
        q, energy = sim.q.copy(), stored_energy(model, sim.q, sim.v)
        moved = max(moved, energy - stored_energy(model, q, still))
        sim.step()
        errors.append(energy - first)
        kicks.append(stored_energy(model, q, sim.v) - energy)
    mean = np.array(errors) + 0.5 * np.array(kicks)
    assert np.ptp(mean) < 0.01 * moved
    assert np.abs(errors).max() < max(0.01 * moved, 1.1 * np.abs(kicks).max())
