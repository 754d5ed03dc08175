"""Symplectic Euler: bounded energy, and dampers that no step is too large for."""

import numpy as np
import pytest

import treadle as td


def slider(mass=1.0, **joint) -> td.Model:
    spec = td.ModelSpec("slider", gravity=(0, 0, 0))
    spec.add_body("cart", mass, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0), **joint)
    return spec.compile()


def test_the_energy_of_an_oscillator_is_bounded():
    """Over 1e5 steps, 1600 periods, the energy swings between the bounds that the invariant sets.

    2 E - h omega^2 x v is constant and |2 omega x v| <= 2 E, so that E is within E0/(1 +- h omega/2).
    """
    omega, h = 2.0, 0.05
    sim = td.Simulation(slider(stiffness=omega**2), dt=h, q=[1.0])
    energies = []
    for _ in range(1000):
        sim.step(100)
        energies.append(0.5 * sim.v[0] ** 2 + 0.5 * omega**2 * sim.q[0] ** 2)
    deviation = np.array(energies) / (0.5 * omega**2) - 1.0
    assert deviation.max() == pytest.approx(1.0 / (1.0 - 0.5 * h * omega) - 1.0, rel=1e-3)
    assert deviation.min() == pytest.approx(1.0 / (1.0 + 0.5 * h * omega) - 1.0, rel=1e-3)
    assert abs(deviation[:100].mean() - deviation[-100:].mean()) < 0.01 * h * omega


def test_the_invariant_of_an_oscillator_is_kept():
    """v^2 + omega^2 x^2 - h omega^2 x v is constant: the method solves a nearby problem exactly."""
    omega, h = 2.0, 0.05
    sim = td.Simulation(slider(stiffness=omega**2), dt=h, q=[1.0])

    def invariant():
        # x and v are of one moment, v of the step that led there
        return sim.v[0] ** 2 + omega**2 * sim.q[0] ** 2 - h * omega**2 * sim.q[0] * sim.v[0]

    sim.step()
    first = invariant()
    sim.step(100_000)
    assert invariant() == pytest.approx(first, rel=1e-10)


@pytest.mark.parametrize("damping", [1e2, 1e4, 1e8])
def test_strong_dampers_are_stable(damping):
    """An explicit damper would multiply the speed by 1 - h d/m each step, down to -1e6 here."""
    h = 0.01
    sim = td.Simulation(slider(damping=damping), dt=h)
    sim.v = [1.0]
    for k in range(1, 6):
        sim.step()
        assert sim.v[0] == pytest.approx((1.0 + h * damping) ** -k, rel=1e-12)


def test_strong_dampers_in_a_machine_are_stable():
    model = td.scene("chain", links=6, damping=1e3)
    sim = td.Simulation(model, dt=0.02, q=[0.8] * 6)
    sim.step(500)
    assert np.abs(sim.v).max() < 1e-2
    # it creeps down, but does not swing
    assert (sim.q[0] < 0.8) and (sim.q[0] > 0.0)


def test_dampers_decay_to_first_order():
    damping, duration = 3.0, 0.5
    errors = []
    for h in (0.01, 0.005, 0.0025):
        sim = td.Simulation(slider(damping=damping), dt=h)
        sim.v = [1.0]
        sim.run(duration)
        errors.append(sim.v[0] - np.exp(-damping * duration))
    assert abs(errors[0]) < 0.01
    np.testing.assert_allclose(np.array(errors[:-1]) / np.array(errors[1:]), 2.0, rtol=0.02)


def test_dampers_in_rk4_are_explicit():
    """Each step multiplies the speed by the first terms of the exponential."""
    sim = td.Simulation(slider(damping=3.0), dt=0.01, integrator="rk4")
    sim.v = [1.0]
    sim.step(50)
    z = -0.03
    assert sim.v[0] == pytest.approx((1.0 + z + z**2 / 2 + z**3 / 6 + z**4 / 24) ** 50, rel=1e-13)
