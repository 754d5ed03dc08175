"""The variational methods are symplectic: dP dQ - dQ dP is the same before and after a step."""

import numpy as np
import pytest

import treadle as td
from tests.machines import build_spec
from treadle.integrators import INTEGRATORS, System


def machine(kinds: list[str]) -> td.Model:
    """A chain of joints whose inertia matrix depends on the position."""
    return build_spec(np.random.default_rng(5), kinds, list(range(-1, len(kinds) - 1))).compile()


def step_of(model: td.Model, integrator: str, x: np.ndarray, base: np.ndarray, dt: float) -> np.ndarray:
    """One step as a map of canonical coordinates (delta from a base position, momentum)."""
    system = System(model, [0.0] * model.nv)
    n = model.nv
    q = system.integrate(base.tolist(), x[:n].tolist())
    v = np.linalg.solve(td.mass_matrix(model, q), x[n:])
    after = INTEGRATORS[integrator].step(system, q, v.tolist(), 0.0, dt)
    end = np.array([b - a for a, b in zip(base, after.q, strict=True)])
    return np.concatenate([end, td.mass_matrix(model, after.q) @ np.array(after.v, dtype=float)])


@pytest.mark.parametrize(
    ("integrator", "symplectic"), [("variational", True), ("variational4", True), ("rk4", False)]
)
def test_the_two_form_is_kept(integrator, symplectic):
    """For coordinates without curvature, where (q, p) are canonical."""
    model = machine(["revolute", "prismatic", "revolute"])
    n, dt, h = model.nv, 0.2, 1e-5
    rng = np.random.default_rng(1)
    base, x = rng.uniform(-1, 1, n), np.zeros(2 * n)
    x[n:] = td.mass_matrix(model, base) @ rng.uniform(-2, 2, n)
    slopes = np.array(
        [
            (
                step_of(model, integrator, x + h * e, base, dt)
                - step_of(model, integrator, x - h * e, base, dt)
            )
            / (2 * h)
            for e in np.eye(2 * n)
        ]
    ).T
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    error = np.abs(slopes.T @ form @ slopes - form).max()
    assert bool(error < 1e-7) == symplectic, error


@pytest.mark.parametrize("kinds", [["revolute", "revolute"], ["ball", "revolute"], ["free", "ball"]])
def test_energy_does_not_drift(kinds):
    """The second half of a long run is no worse than the first."""
    model = machine(kinds)
    sim = td.Simulation(model, dt=2e-3, integrator="variational")
    sim.v[:] = np.random.default_rng(3).uniform(-1.0, 1.0, model.nv)

    def energy() -> float:
        return td.kinetic_energy(model, sim.q, sim.v) + td.potential_energy(model, sim.q)

    start, errors, kinetic = energy(), [], 0.0
    for _ in range(200):
        sim.step(100)
        errors.append(abs(energy() - start))
        kinetic = max(kinetic, td.kinetic_energy(model, sim.q, sim.v))
    assert max(errors[100:]) < 1.5 * max(errors[:100]) + 1e-9 * kinetic
    assert max(errors) < 1e-3 * kinetic


def test_symplectic_euler_is_not_symplectic_where_the_inertia_varies():
    """A double pendulum at 1 ms: what the default loses, the variational method keeps."""
    model = td.scene("pendulum")

    def worst(integrator: str) -> float:
        sim = td.Simulation(model, dt=1e-3, integrator=integrator)
        sim.q[:] = (2.0, 1.0)
        start = td.potential_energy(model, sim.q)
        kinetic, error = 0.0, 0.0
        for _ in range(200):
            sim.step(100)
            now = td.kinetic_energy(model, sim.q, sim.v)
            kinetic = max(kinetic, now)
            error = max(error, abs(now + td.potential_energy(model, sim.q) - start))
        return error / kinetic

    assert worst("variational") < 1e-4
    assert worst("variational4") < 1e-6
    assert worst("symplectic_euler") > 1e-3
