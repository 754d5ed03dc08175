"""The default integrator on closed machines: the energy swings, and does not drift."""

import numpy as np
import pytest

import treadle as td
from tests.energy import stored_energy
from tests.loops import CLOSING_KINDS, TIES, swinging_machine

#: Of machines that a step of 1 ms resolves: three for every kind of joint that closes loops.
SEEDS = range(22, 22 + 3 * len((*CLOSING_KINDS, *TIES)))


def pendulum() -> td.Simulation:
    """A bob of 1 kg on 1 m that starts level; the joint of its pivot closes a loop."""
    spec = td.ModelSpec("loop pendulum")
    spec.add_body("bob", 1.0, center=(0, 0, -1), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("free", "free", None, "bob")
    spec.add_joint("pivot", "ball", None, "bob")
    half = np.sqrt(0.5)
    return td.Simulation(spec.compile(), 1e-3, q=[half, 0, half, 0, 0, 0, 0], v=[0.5, 0, 0.7, 0, 0, 0])


def slider_crank() -> td.Simulation:
    """In space: between the crank and the slider, which closes the loop, is a rod on ball joints."""
    spec = td.ModelSpec("spatial slider-crank")
    spec.add_body("crank", 1.0, center=(0, 0, 0.05), inertia=(0.01, 0.01, 0.01))
    spec.add_body("rod", 0.5, center=(0, 0, 0.15), inertia=(0.004, 0.004, 0.001))
    spec.add_body("piston", 0.8, inertia=(0.002, 0.002, 0.002))
    spec.add_joint("bearing", "continuous", None, "crank", axis=(0, 1, 0), position=(0, 0.05, 0))
    spec.add_joint("crank_pin", "ball", "crank", "rod", position=(0, 0, 0.1))
    spec.add_joint("piston_pin", "universal", "rod", "piston", position=(0, 0, 0.3), axis=(1, 0, 0))
    spec.add_joint("slider", "prismatic", None, "piston", axis=(0, 0, 1))
    return td.Simulation(spec.compile(), 1e-3, q=None, v=[5.0, 0, 0, 0, 0, 0])


def four_bar() -> td.Simulation:
    """A crank of 0.3 m, a coupler and a rocker."""
    spec = td.ModelSpec("four-bar")
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.7)):
        spec.add_body(name, length, center=(0, 0, length / 2), inertia=(length**3 / 12,) * 3)
    hinge = {"axis": (0, 1, 0)}
    spec.add_joint("a", "revolute", None, "crank", **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, 0, 0.3), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(0.8, 0, 0), **hinge)
    ends = {"position": (0, 0, 0.9), "child_position": (0, 0, 0.7)}
    spec.add_joint("c", "revolute", "coupler", "rocker", **ends, **hinge)
    return td.Simulation(spec.compile(), 1e-3, q=[0.0, 1.2, 0.0], v=[4.0, 0.0, 0.0])


def swing(sim: td.Simulation, seconds: float, every: float = 0.05) -> tuple[np.ndarray, float]:
    """Errors of the energy along a run, and the energy that moved, by the kinetic energy at its peak."""
    model, still = sim.model, np.zeros(sim.model.nv)
    first, errors, moved = stored_energy(model, sim.q, sim.v), [], 0.0
    for _ in range(round(seconds / every)):
        sim.run(every)
        energy = stored_energy(model, sim.q, sim.v)
        errors.append(energy - first)
        moved = max(moved, energy - stored_energy(model, sim.q, still))
    return np.array(errors), moved


MACHINES = {"pendulum": pendulum, "slider-crank": slider_crank, "four-bar": four_bar}


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
