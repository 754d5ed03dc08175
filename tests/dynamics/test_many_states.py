"""Functions over a leading axis of states: each state gives what it gives alone."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state

STATES = 11


def machine(seed: int) -> tuple[td.Model, np.ndarray, np.ndarray, np.ndarray]:
    """A random tree, and many states of it."""
    model = random_spec(np.random.default_rng(seed), 6).compile()
    states = [random_state(model, np.random.default_rng(100 * seed + k)) for k in range(STATES)]
    q, v = (np.array([state[i] for state in states]) for i in (0, 1))
    return model, q, v, np.random.default_rng(seed).normal(size=v.shape)


FUNCTIONS = {
    "forward_dynamics": td.forward_dynamics,
    "inverse_dynamics": td.inverse_dynamics,
    "mass_matrix": lambda m, q, v, x: td.mass_matrix(m, q),
    "acceleration": lambda m, q, v, x: td.derivatives(m, q, v, x).acceleration,
    "by_q": lambda m, q, v, x: td.derivatives(m, q, v, x).by_q,
    "by_v": lambda m, q, v, x: td.derivatives(m, q, v, x).by_v,
    "by_tau": lambda m, q, v, x: td.derivatives(m, q, v, x).by_tau,
    "torque_by_q": lambda m, q, v, x: td.inverse_dynamics_jacobians(m, q, v, x)[0],
    "torque_by_v": lambda m, q, v, x: td.inverse_dynamics_jacobians(m, q, v, x)[1],
    "frame_poses": lambda m, q, v, x: td.frame_poses(m, q),
    "frame_pose": lambda m, q, v, x: td.frame_pose(m, q, m.frames[-1].name),
    "frame_jacobian": lambda m, q, v, x: td.frame_jacobian(m, q, m.frames[-1].name),
    "center_of_mass": lambda m, q, v, x: td.center_of_mass(m, q),
    "kinetic_energy": lambda m, q, v, x: td.kinetic_energy(m, q, v),
    "potential_energy": lambda m, q, v, x: td.potential_energy(m, q),
    "momentum": lambda m, q, v, x: td.momentum(m, q, v),
    "impulse_response": lambda m, q, v, x: td.impulse_response(m, q, x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_each_state_gives_what_it_gives_alone(name, seed):
    model, q, v, x = machine(seed)
    function = FUNCTIONS[name]
    alone = np.array([function(model, *state) for state in zip(q, v, x, strict=True)])
    together = function(model, q, v, x)
    assert together.shape == alone.shape
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(alone).max()))


def test_leading_axes_are_broadcast_and_kept():
    model, q, v, _ = machine(3)
    grid = td.forward_dynamics(model, q[:, None], v[None, :4], np.zeros(model.nv))
    assert grid.shape == (STATES, 4, model.nv)
    expected = td.forward_dynamics(model, q[5], v[2], np.zeros(model.nv))
    np.testing.assert_allclose(grid[5, 2], expected, rtol=1e-9, atol=1e-9)


def test_as_many_states_as_the_machine_has_freedoms():
    model, q, v, x = machine(1)
    n = model.nv
    if len(q) >= n:
        assert td.forward_dynamics(model, q[:n], v[:n], x[:n]).shape == (n, n)
    pendulum = td.scene("pendulum")
    assert td.mass_matrix(pendulum, np.zeros((2, 2))).shape == (2, 2, 2)


def test_a_machine_of_one_freedom_tells_one_state_from_an_axis_of_one():
    spec = td.ModelSpec("wheel")
    spec.add_body("disk", 1.0, inertia=(0.1, 0.1, 0.2))
    spec.add_joint("axle", "revolute", None, "disk", axis=(0, 0, 1))
    model = spec.compile()
    assert td.kinetic_energy(model, [0.0], [2.0]) == pytest.approx(0.4)
    assert td.kinetic_energy(model, [[0.0]], [[2.0]]).shape == (1,)


def test_more_states_than_one_block():
    model = td.scene("pendulum")
    q = np.random.default_rng(0).normal(size=(9001, model.nq))
    values = td.potential_energy(model, q)
    for k in (0, 4095, 4096, 9000):
        assert values[k] == pytest.approx(td.potential_energy(model, q[k]), rel=1e-12)


def test_external_forces_have_the_axis_too():
    model, q, v, x = machine(2)
    name = model.links[-1].name
    forces = np.random.default_rng(4).normal(size=(STATES, 6))
    together = td.forward_dynamics(model, q, v, x, external={name: forces})
    alone = td.forward_dynamics(model, q[3], v[3], x[3], external={name: forces[3]})
    np.testing.assert_allclose(together[3], alone, rtol=1e-9, atol=1e-8)


def test_wrong_states_are_refused():
    model = td.scene("pendulum")
    with pytest.raises(td.InputError, match=r"q must have shape \(\.\.\., 2\), not \(5, 3\)"):
        td.mass_matrix(model, np.zeros((5, 3)))
    bad = np.zeros((4, 2))
    bad[2, 1] = np.nan
    with pytest.raises(td.InputError, match=r"q\[2, 1\] is nan"):
        td.mass_matrix(model, bad)
