"""Exact derivatives against complex steps on all joints, and against differences along joint steps."""

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.machines import MOVING_KINDS, build_spec, machines, random_state
from tests.numeric import central, complex_step, integrate, position_rate, relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.derivatives import inverse_dynamics_derivatives
from treadle.dynamics.rnea import rnea
from treadle.graph import evaluate, trace


def directions(model, q) -> list[list[float]]:
    """Rates of q along each velocity direction."""
    return [position_rate(model, q, e.tolist()) for e in np.eye(model.nv)]


def by_complex_step(function, model, q, v, forces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of function(q, v, forces) by q (along v's directions), v and the last argument."""
    still_q, still = [0.0] * model.nq, [0.0] * model.nv
    point, unit = (q, v, forces), np.eye(model.nv)
    by_q = [complex_step(function, point, (rate, still, still)) for rate in directions(model, q)]
    by_v = [complex_step(function, point, (still_q, e, still)) for e in unit]
    by_last = [complex_step(function, point, (still_q, still, e)) for e in unit]
    return np.array(by_q).T, np.array(by_v).T, np.array(by_last).T


@given(machines(largest=6))
def test_derivatives_of_inverse_dynamics(machine):
    """The graph of the derivatives, evaluated as it is: on all joints, without compiling."""
    model, rng = machine
    q, v, a = random_state(model, rng)

    def flat(q, v, a):
        return [x for matrix in inverse_dynamics_derivatives(model, q, v, a) for row in matrix for x in row]

    graph, outputs = trace(flat, model.nq, model.nv, model.nv)
    by_q, by_v = np.array(evaluate(graph, outputs, [*q, *v, *a])).reshape(2, model.nv, model.nv)
    expected = by_complex_step(lambda q, v, a: rnea(model, q, v, a), model, q, v, a)
    scale = np.abs(rnea(model, q, v, a)).max()
    assert relative_error(by_q, expected[0], scale) < 1e-12
    assert relative_error(by_v, expected[1], scale) < 1e-12
    assert relative_error(crba(model, q), expected[2]) < 1e-12


@settings(max_examples=8)
@given(machines(largest=5))
def test_derivatives_of_forward_dynamics(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    actual = td.derivatives(model, q, v, tau)
    expected = by_complex_step(lambda q, v, tau: aba(model, q, v, tau), model, q, v, tau)
    tolerance = 1e-12 + 1e-14 * np.linalg.cond(crba(model, q))
    acceleration = aba(model, q, v, tau)
    scale = np.abs(acceleration).max()
    assert relative_error(actual.acceleration, acceleration) < tolerance
    assert relative_error(actual.by_q, expected[0], scale) < tolerance
    assert relative_error(actual.by_v, expected[1], scale) < tolerance
    assert relative_error(actual.by_tau, expected[2]) < tolerance


@pytest.mark.parametrize("kind", MOVING_KINDS)
def test_derivatives_are_slopes_along_joint_steps(kind):
    """Central differences through the joint's own `integrate`, which knows nothing of `rate`."""
    rng = np.random.default_rng(5)
    model = build_spec(rng, [kind, "revolute", kind], [-1, 0, 1], armature=MOVING_KINDS).compile()
    q, v, tau = random_state(model, rng)
    actual = td.derivatives(model, q, v, tau)
    jacobians = td.inverse_dynamics_jacobians(model, q, v, actual.acceleration)
    for k, e in enumerate(np.eye(model.nv)):

        def step(t, e=e):
            return integrate(model, q, (t * e).tolist())

        slope = central(lambda t: aba(model, step(t), v, tau), 1e-3)
        assert relative_error(actual.by_q[:, k], slope, np.abs(actual.by_q).max()) < 1e-7
        slope = central(lambda t: rnea(model, step(t), v, actual.acceleration.tolist()), 1e-3)
        assert relative_error(jacobians[0][:, k], slope, np.abs(jacobians[0]).max()) < 1e-7
        slope = central(lambda t, e=e: aba(model, q, (v + t * e).tolist(), tau), 1e-3)
        assert relative_error(actual.by_v[:, k], slope, np.abs(actual.by_v).max()) < 1e-7


def test_acceleration_is_held_whatever_its_form():
    """Joints about negative axes negate accelerations; derivatives must not reach through that.

    Negating a difference exchanges its terms, which is another node of the graph than the one that was
    held constant.
    """
    spec = td.ModelSpec()
    for i in range(3):
        spec.add_body(f"b{i}", 1.0, center=(0.1, 0.2, 0.0), inertia=(0.1, 0.1, 0.1))
        parent = f"b{i - 1}" if i else None
        spec.add_joint(f"j{i}", "revolute", parent, f"b{i}", axis=(0, 0, -1), position=(0.3, 0, 0))
    spec.gravity = (0.0, -9.81, 0.0)
    model = spec.compile()
    q, v, tau = random_state(model, np.random.default_rng(0))
    actual = td.derivatives(model, q, v, tau)
    expected = by_complex_step(lambda q, v, tau: aba(model, q, v, tau), model, q, v, tau)
    assert relative_error(actual.by_q, expected[0]) < 1e-12
    assert relative_error(actual.by_v, expected[1]) < 1e-12
