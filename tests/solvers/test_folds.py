"""Sarrus linkages with legs nearly alike, at their sharp folds: energy changes by the method's error."""

from itertools import pairwise

import numpy as np
import pytest

import treadle as td
from tests.energy import stored_energy
from tests.numeric import central
from treadle.constraints.rows import residuals
from treadle.studies.overconstrained_linkages import sarrus

#: Seeds whose lower and upper legs differ by 2 to 5 %: their knees turn by nearly half a turn in 20 ms.
SEEDS = [7157, 7213, 7297]


def jumps(seed: int, digits: int | None, integrator: str, dt: float) -> np.ndarray:
    """Changes of the energy in single steps up to 0.6 s, past the first fold, beside the kinetic energy."""
    spec, q, v = sarrus(np.random.default_rng(seed), digits)
    sim = td.Simulation(spec.compile(), dt, integrator=integrator, q=q, v=v)
    energies, moving = [stored_energy(sim.model, sim.q, sim.v)], 0.0
    for _ in range(round(0.6 / dt)):
        sim.step()
        energies.append(stored_energy(sim.model, sim.q, sim.v))
        moving = max(moving, energies[-1] - stored_energy(sim.model, sim.q, 0.0 * sim.v))
    return np.diff(energies) / moving


@pytest.mark.parametrize(
    ("integrator", "order"), [("symplectic_euler", 1), ("implicit_midpoint", 2), ("rk4", 4)]
)
def test_single_steps_change_the_energy_at_the_order_of_the_method(integrator, order):
    for seed in SEEDS:
        steps = [jumps(seed, 6, integrator, dt) for dt in (2.5e-3, 1.25e-3, 6.25e-4)]
        for coarse, fine in pairwise(np.abs(each).max() for each in steps):
            # every step meets the fold at other places
            assert np.log2(coarse / fine) > order + 1 - 0.3
        # rows that depend on others but for rounding take no part in it
        exact = jumps(seed, None, integrator, 2.5e-3)
        assert np.abs(steps[0] - exact).max() < 2e-3 * np.abs(exact).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_at_the_fold_is_that_of_the_method_written_out(seed):
    """With all rows, by a pseudoinverse, instead of those that are found to be independent."""
    spec, q, v = sarrus(np.random.default_rng(seed), None)
    sim = td.Simulation(spec.compile(), 5e-3, q=q, v=v)
    changes = []
    for _ in range(120):
        before = sim.q.copy(), sim.v.copy()
        energy = stored_energy(sim.model, *before)
        sim.step()
        changes.append((stored_energy(sim.model, sim.q, sim.v) - energy, before, sim.q.copy(), sim.v.copy()))
    change, before, q, v = max(changes, key=lambda each: abs(each[0]))
    expected = by_hand(sim.model, *before, sim.dt)
    np.testing.assert_allclose(q, expected[0], atol=1e-8)
    np.testing.assert_allclose(v, expected[1], atol=1e-6)
    there = stored_energy(sim.model, *expected) - stored_energy(sim.model, *before)
    assert change == pytest.approx(there, rel=1e-4)


def by_hand(model: td.Model, q: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Kick with J v' = -h/2 dJ/dt v, drift, and projection of both in the norm of the inertia."""
    bend = central(lambda t: jacobian(model, q + t * v), 1e-4) @ v
    solve = Closed(model, q)

    def kicked(w: np.ndarray, t: float, rates: np.ndarray) -> np.ndarray:
        ahead = v - t * np.linalg.solve(solve.M, td.inverse_dynamics(model, q, w, 0.0 * v))
        return ahead + solve.push(rates - solve.J @ ahead)

    v = kicked(kicked(v, 0.5 * h, 0.0 * bend), h, -0.5 * h * bend)
    q = q + h * v
    solve = Closed(model, q)
    for _ in range(12):
        q = q - solve.push(np.array(residuals(model, q.tolist())))
    J = jacobian(model, q)
    for _ in range(12):
        v = v - solve.push(J @ v)
    return q, v


class Closed:
    """M, J and the changes of velocity M^-1 J^T A^+ b by which rows change by b, at a position."""

    def __init__(self, model: td.Model, q: np.ndarray) -> None:
        self.M, self.J = td.mass_matrix(model, q), jacobian(model, q)
        self._across = np.linalg.solve(self.M, self.J.T)
        self._inverse = np.linalg.pinv(self.J @ self._across, rcond=1e-9, hermitian=True)

    def push(self, b: np.ndarray) -> np.ndarray:
        return self._across @ (self._inverse @ b)


def jacobian(model: td.Model, q: np.ndarray) -> np.ndarray:
    """Derivatives of all residuals; every joint is a hinge."""
    columns = [central(lambda t, d=d: residuals(model, (q + t * d).tolist()), 1e-6) for d in np.eye(len(q))]
    return np.array(columns).T
