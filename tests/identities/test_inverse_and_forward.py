"""Inverse dynamics, forward dynamics and the inertia matrix are three views of M(q) a + C(q, v) = tau."""

import numpy as np
from hypothesis import given

from tests.machines import machines, random_state
from tests.numeric import relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.forward import by_composite_inertia, forward_dynamics
from treadle.dynamics.impulse import impulse_response
from treadle.dynamics.rnea import rnea
from treadle.spatial import Force


def forces(model, rng) -> dict[int, Force]:
    """A force on about every other body, in its own frame."""
    chosen = [i for i in range(len(model.bodies)) if rng.random() < 0.5]
    return {i: Force.of(rng.uniform(-5.0, 5.0, 6).tolist()) for i in chosen}


def size_of(M, a) -> float:
    """What the terms of M a are made of, for sums that cancel."""
    return float((np.abs(M) @ np.abs(a)).max())


@given(machines(largest=10))
def test_inverse_dynamics_undoes_forward_dynamics(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    for external in (None, forces(model, rng)):
        a = aba(model, q, v, tau, external)
        assert relative_error(rnea(model, q, v, a, external), tau, size_of(crba(model, q), a)) < 1e-12


@given(machines(largest=10))
def test_both_forward_algorithms_agree(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    M = np.array(crba(model, q))
    tolerance = 1e-12 + 1e-15 * np.linalg.cond(M)
    for external in (None, forces(model, rng)):
        articulated = aba(model, q, v, tau, external)
        composite = by_composite_inertia(model, q, v, tau, external)
        assert relative_error(articulated, composite) < tolerance
        assert relative_error(forward_dynamics(model, q, v, tau, external), composite) < tolerance


@given(machines(largest=10))
def test_inertia_matrix_is_symmetric_and_positive_definite(machine):
    model, rng = machine
    q, _, _ = random_state(model, rng)
    M = np.array(crba(model, q))
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


@given(machines(largest=8))
def test_columns_of_the_inertia_matrix_are_forces_of_unit_accelerations(machine):
    model, rng = machine
    q, v, _ = random_state(model, rng)
    M = np.array(crba(model, q))
    bias = np.array(rnea(model, q, v, [0.0] * model.nv))
    columns = [np.array(rnea(model, q, v, e.tolist())) - bias for e in np.eye(model.nv)]
    assert relative_error(np.array(columns).T, M, np.abs(bias).max()) < 1e-13


@given(machines(largest=10))
def test_impulses_change_velocities_as_forces_change_accelerations(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    external = forces(model, rng)
    M = np.array(crba(model, q))
    response = impulse_response(model, q, tau, external)
    difference = np.array(aba(model, q, v, tau, external)) - aba(model, q, v, [0.0] * model.nv)
    tolerance = 1e-12 + 1e-15 * np.linalg.cond(M)
    assert relative_error(response, difference, np.abs(aba(model, q, v, tau)).max()) < tolerance
    total = M @ response
    assert relative_error(total, np.array(tau) + pulled(model, q, external), size_of(M, response)) < 1e-12


def pulled(model, q, external) -> np.ndarray:
    """J^T f of forces on bodies, by inverse dynamics at rest."""
    zeros = [0.0] * model.nv
    return np.array(rnea(model, q, zeros, zeros)) - rnea(model, q, zeros, zeros, external)
