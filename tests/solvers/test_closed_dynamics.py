"""Machines with loops against statements that know nothing of the solver."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

import treadle as td
from tests.loops import loop_machines
from treadle.constraints.rows import residuals
from treadle.integrators import System
from treadle.solvers.direct import closed_dynamics
from treadle.solvers.projection import project


def allowed_velocities(model, q) -> np.ndarray:
    """Basis of the velocities that keep the loops closed, from finite differences of the residuals."""
    system, h = System(model, [0.0] * model.nv), 1e-6

    def c(direction, length):
        return np.array(residuals(model, system.integrate(q.tolist(), (length * direction).tolist())))

    J = np.array([(c(e, h) - c(e, -h)) / (2 * h) for e in np.eye(model.nv)]).T
    _, sizes, basis = np.linalg.svd(J)
    rank = int((sizes > 1e-6).sum())
    # positions where a row all but vanishes are no test of anything
    assume(not ((sizes > 1e-8) & (sizes < 1e-2)).any())
    return basis[rank:].T


@given(loop_machines())
def test_constraint_forces_do_no_work_and_keep_the_loops_closed(machine):
    model, q, rng = machine
    Z = allowed_velocities(model, q)
    v = Z @ rng.uniform(-1.0, 1.0, Z.shape[1])
    force = rng.uniform(-1.0, 1.0, model.nv)
    a = np.array(closed_dynamics(model, q.tolist(), v.tolist(), force.tolist()))
    # nothing is left of the equations of motion along the motions that the loops allow
    missing = td.inverse_dynamics(model, q, v, a) - force
    scale = 1.0 + np.abs(td.mass_matrix(model, q)).max() * np.abs(a).max() + np.abs(missing).max()
    np.testing.assert_allclose(Z.T @ missing, 0.0, atol=1e-7 * scale)
    # and the residuals have no second rate
    system, h = System(model, [0.0] * model.nv), 1e-3

    def c(t):
        step = t * v + 0.5 * t * t * a
        return np.array(residuals(model, system.integrate(q.tolist(), step.tolist())))

    bend = (c(h) + c(-h) - 2.0 * c(0.0)) / h**2
    assert np.abs(bend).max(initial=0.0) < 1e-4 * (1.0 + np.abs(v).max() ** 4 + np.abs(a).max() ** 2)


@given(loop_machines())
def test_projection_closes_loops_with_the_smallest_move(machine):
    model, q, rng = machine
    Z = allowed_velocities(model, q)
    system = System(model, [0.0] * model.nv)
    near = system.integrate(q.tolist(), (1e-4 * rng.uniform(-1.0, 1.0, model.nv)).tolist())
    v = rng.uniform(-1.0, 1.0, model.nv)
    position, velocity, (gap, left, _) = project(model, near, v.tolist())
    assert np.abs(residuals(model, position)).max() < 1e-10
    assert gap < 1e-9 and left < 1e-9
    # the velocity moves across the allowed ones only, in the norm of the inertia matrix
    moved = np.array(velocity) - v
    M = td.mass_matrix(model, q)
    scale = np.abs(M).max() * (1.0 + np.abs(moved).max())
    np.testing.assert_allclose(Z.T @ M @ moved, 0.0, atol=1e-2 * scale)
    there = allowed_velocities(model, np.array(position))
    across = np.array(velocity) - there @ np.linalg.lstsq(there, np.array(velocity), rcond=None)[0]
    assert np.abs(across).max(initial=0.0) < 1e-6 * (1.0 + np.abs(velocity).max())


def test_four_bars_pass_their_singular_position_on_the_same_branch():
    """The reference is the motion of the one freedom: I theta'' = c g sin(theta)."""
    sim = td.Simulation(td.scene("four-bar-chain", cells=2), dt=1e-3, integrator="rk4")
    table = {
        1: (-0.1950203019, -0.9807992057),
        4: (0.1176161024, 0.9930591385),
        7: (-0.9582707549, -0.2858621352),
        10: (0.3284581115, 0.9445185382),
    }
    for second in range(1, 11):
        sim.run(1.0)
        angles = [sim.joint(f"pin{k}").position for k in range(3)]
        assert np.ptp(angles) < 1e-9
        if second in table:
            np.testing.assert_allclose([np.sin(angles[0]), np.cos(angles[0])], table[second], atol=1e-8)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_the_roadheader_sinks_with_its_loops_closed(integrator):
    """All nine loops stay closed to rounding while the machine, its valves open, gives way to its weight."""
    model = replace(td.scene("roadheader"), actuators=()).without_bounds()
    sim = td.Simulation(model, dt=2e-3, integrator=integrator)
    for _ in range(10):
        sim.step(50)
        assert np.abs(residuals(model, sim.q.tolist())).max() < 1e-12
    assert np.abs(sim.v).max() > 0.5
