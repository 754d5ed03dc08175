"""Rigid bodies that rebound many times within one step keep their energy."""

import numpy as np
import pytest

import treadle as td
from treadle.model import ModelSpec
from treadle.sim import Simulation

G = 9.81


def balls(places, restitution=1.0):
    spec = ModelSpec("balls", gravity=(0.0, 0.0, -G))
    spec.add_material("hard", friction=0.0, restitution=restitution)
    spec.add_shape("ground", None, "plane", role="collision", material="hard")
    for k, place in enumerate(places):
        spec.add_body(f"ball{k}", 10.0, inertia=(0.04, 0.04, 0.04))
        spec.add_joint(f"ball{k}", "free", None, f"ball{k}", position=place)
        spec.add_shape(f"ball{k}", f"ball{k}", "sphere", (0.1,), role="collision", material="hard")
    return spec.compile()


def energy(sim, places):
    heights, velocities = sim.q.reshape(-1, 7)[:, 6] + np.array(places)[:, 2], sim.v.reshape(-1, 6)[:, 3:]
    return 10.0 * (0.5 * np.sum(velocities**2) + G * np.sum(heights))


def test_a_ball_that_rises_and_comes_back_within_a_step_rebounds():
    """A period of 64 ms in steps of 100 ms: it never comes down at the start of a step only."""
    places = [(0.0, 0.0, 0.105)]
    sim = Simulation(balls(places), 0.1)
    start = energy(sim, places)
    for _ in range(20):
        sim.step()
        assert energy(sim, places) == pytest.approx(start, rel=1e-12)


def test_a_pile_keeps_its_energy():
    """Eight balls that fall 1 m and meet each other at an angle."""
    chance = np.random.default_rng(42).uniform(0.0, 1e-3, (8, 3))
    grid = np.array([(i, j, k) for i in range(2) for j in range(2) for k in range(2)])
    places = (0.21 * grid + chance + np.array([0.0, 0.0, 1.101])).tolist()
    model = balls(places)
    for dt in (0.1, 0.04):
        sim = Simulation(model, dt)
        start = energy(sim, places)
        sim.run(3.0)
        assert energy(sim, places) == pytest.approx(start, rel=1e-11)


def test_a_ball_that_loses_speed_comes_to_rest():
    """With a restitution it rebounds ever lower, then lies still instead of being awaited for ever."""
    sim = Simulation(balls([(0.0, 0.0, 0.2)], restitution=0.5), 0.01)
    sim.run(2.0)
    assert abs(sim.q[6] + 0.1) < 1e-9
    assert np.abs(sim.v).max() < 1e-12


@pytest.mark.parametrize("restitution", [1.0, 0.7])
@pytest.mark.parametrize("shape", [("cylinder", (0.09, 0.17)), ("box", (0.1, 0.3, 0.2))])
def test_friction_and_restitution_add_no_energy(shape, restitution):
    """A body that spins may stick at its contact, and Newton's law alone would throw it off faster."""
    spec = td.ModelSpec("spinning", gravity=(0, 0, 0))
    spec.add_material("steel", friction=0.5, restitution=restitution)
    spec.add_shape("floor", None, "plane", role="collision", material="steel")
    spec.add_body("body", 1.0, type=shape[0], size=shape[1])
    spec.add_joint("body", "free", None, "body", position=(0, 0, 0.3))
    spec.add_shape("body", "body", *shape, role="collision", material="steel")
    sim, rng, kept = td.Simulation(spec.compile(), dt=0.001), np.random.default_rng(0), 0
    for _ in range(60):
        sim.reset()
        turn = rng.normal(size=4)
        sim.q[:4] = turn / np.linalg.norm(turn)
        sim.v = [*rng.normal(size=3) * 15.0, *rng.normal(size=2), -2.0]
        before = td.kinetic_energy(sim.model, sim.q, sim.v)
        sim.run(0.2)
        after = td.kinetic_energy(sim.model, sim.q, sim.v)
        assert after <= before * (1.0 + 1e-6)
        kept += after > before * (1.0 - 1e-6)
    assert kept > 0 or restitution < 1.0
