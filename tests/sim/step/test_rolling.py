"""Bodies that roll without slip keep their energy."""

import numpy as np
import pytest

import treadle as td
from treadle.studies.gauntlet.spinning import SPINNING


def energy_error(model: td.Model, dt: float) -> float:
    """Largest change of the energy over 6 s, by that at the start."""
    sim = td.Simulation(model, dt=dt)

    def energy() -> float:
        return td.kinetic_energy(model, sim.q, sim.v) + td.potential_energy(model, sim.q)

    first, worst = energy(), 0.0
    for _ in range(60):
        sim.run(0.1)
        worst = max(worst, abs(energy() - first))
    return worst / first


@pytest.mark.parametrize(("name", "most"), [("coin", 2e-6), ("rattleback", 4e-4), ("disk", 1e-5)])
@pytest.mark.parametrize("seed", [0, 7])
def test_energy_is_kept(name, most, seed):
    assert energy_error(SPINNING[name](np.random.default_rng(seed)).model, 1e-3) < most


def test_a_ball_that_rolls_on_a_ball_stays_on_it():
    """Two curved surfaces: a ball rolls down from the top of another one until it leaves it."""
    spec = td.ModelSpec("hill")
    spec.add_material("skin", friction=10.0, restitution=0.0)
    spec.add_shape("hill", None, "sphere", (1.0,), role="collision", material="skin")
    spec.add_body("ball", 1.0, inertia=(0.4e-2, 0.4e-2, 0.4e-2))
    spec.add_joint("ball", "free", None, "ball", position=(0.0, 0.0, 1.1))
    spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision", material="skin")
    model = spec.compile()
    sim = td.Simulation(model, dt=2e-3)
    sim.v[:] = (0.0, 1.0, 0.0, 0.1, 0.0, 0.0)
    start = td.kinetic_energy(model, sim.q, sim.v) + td.potential_energy(model, sim.q)
    angle = 0.0
    sim.step()
    while any(point.force @ point.normal > 0.0 for point in sim.contacts()):
        distance = np.linalg.norm(sim.body("ball").position) - 1.1
        assert abs(distance) < 1e-7
        energy = td.kinetic_energy(model, sim.q, sim.v) + td.potential_energy(model, sim.q)
        assert energy == pytest.approx(start, abs=1e-4)
        x, _, z = sim.body("ball").position
        angle = np.arctan2(x, z)
        sim.step()
    # the normal force ends where m v^2 / R = m g cos: cos = 10/17 (1 + 7 v0^2 / (10 g R))
    assert np.cos(angle) == pytest.approx(10.0 / 17.0 * (1.0 + 0.7 * 0.01 / (9.81 * 1.1)), abs=3e-3)
