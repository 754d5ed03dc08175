"""Functions with derivatives: values are Treadle's own, gradients those of finite differences."""

import numpy as np
import pytest

import treadle as td
from tests.exports.machines import MACHINES, four_bar, sprung_arm, state_of
from treadle.exports.machine_function import machine_function


def differences(function, given, weights, step=1e-6):
    """Gradients of sum(weights * outputs) by central differences."""
    gradients = []
    for k, x in enumerate(given):
        gradient = np.zeros(x.size)
        for i in range(x.size):
            ends = []
            for sign in (1.0, -1.0):
                moved = [y.copy() for y in given]
                moved[k][i] += sign * step * max(1.0, abs(x[i]))
                ends.append(function(*moved) @ weights)
            gradient[i] = (ends[0] - ends[1]) / (2.0 * step * max(1.0, abs(x[i])))
        gradients.append(gradient)
    return np.concatenate(gradients)


@pytest.mark.parametrize("name", MACHINES)
def test_a_step_is_that_of_the_simulation(name):
    sim = MACHINES[name]()
    step = machine_function(sim, "step")
    after = step(*state_of(sim, list(step.inputs)))
    before = sim.v.copy()
    sim.step(1)
    np.testing.assert_allclose(
        after, np.concatenate(state_of(sim, list(step.outputs))), rtol=1e-11, atol=1e-12
    )
    assert np.abs(sim.v - before).max() > 1e-6


@pytest.mark.parametrize("what", ["step", "acceleration"])
@pytest.mark.parametrize("name", MACHINES)
def test_gradients_are_exact(name, what):
    sim = MACHINES[name]()
    function = machine_function(sim, what)
    given = state_of(sim, list(function.inputs))
    rng = np.random.default_rng(0)
    weights = rng.normal(size=sum(function.outputs.values())) / np.maximum(np.abs(function(*given)), 1.0)
    expected = differences(function, given, weights)
    found = function.pullback(*given, weights)
    scale = np.maximum(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=2e-5, atol=2e-8)


def test_acceleration_is_that_of_the_simulation():
    sim = four_bar()
    function = machine_function(sim, "acceleration")
    found = function(*state_of(sim, list(function.inputs)))
    np.testing.assert_allclose(found, td.derivatives(sim).acceleration, rtol=1e-12)


def test_parameters_are_an_input():
    sim = sprung_arm()
    names = ["lower.mass", "shoulder.damping", "elbow.stiffness"]
    step = machine_function(sim, "step", names)
    values = np.array([td.parameter_value(sim.model, name) for name in names])
    given = [values if name == "parameters" else state_of(sim, [name])[0] for name in step.inputs]
    np.testing.assert_allclose(
        step(*given),
        machine_function(sim, "step")(*[x for x, n in zip(given, step.inputs) if n != "parameters"]),
    )
    weights = np.ones(sum(step.outputs.values()))
    found, expected = step.pullback(*given, weights), differences(step, given, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    assert np.abs(found[-3:]).min() > 0.0


def test_many_states_at_once():
    sim = sprung_arm()
    function = machine_function(sim.model, "forward_dynamics")
    rng = np.random.default_rng(1)
    q, v, tau = rng.normal(size=(3, 7, 5, 2))
    found = function(q, v, tau)
    assert found.shape == (7, 5, 2)
    np.testing.assert_allclose(
        found[3, 2], td.forward_dynamics(sim.model, q[3, 2], v[3, 2], tau[3, 2]), rtol=1e-12
    )
    np.testing.assert_allclose(
        function(q, v[0, 0], tau)[3, 2], function(q[3, 2], v[0, 0], tau[3, 2]), rtol=1e-12
    )


def test_derivatives_have_derivatives():
    sim = sprung_arm()
    function = machine_function(sim.model, "forward_dynamics")
    rng = np.random.default_rng(2)
    given = [*rng.normal(size=(3, 2)), np.array([0.7, -0.3])]
    weights = rng.normal(size=6)
    found = function.pullback.pullback(*given, weights)
    np.testing.assert_allclose(found, differences(function.pullback, given, weights), rtol=1e-6, atol=1e-8)


def test_what_has_no_derivative():
    with pytest.raises(td.InputError, match="has derivatives"):
        machine_function(td.scene("pendulum"), "steps")
    with pytest.raises(td.InputError, match=r"td\.Simulation\(model\)"):
        machine_function(td.scene("pendulum"), "step")
    with pytest.raises(td.InputError, match="dopri5"):
        machine_function(td.Simulation(td.scene("pendulum"), integrator="dopri5"), "step")
    with pytest.raises(td.InputError, match="contact"):
        machine_function(td.Simulation(td.scene("bouncing-ball")), "step")
    with pytest.raises(td.InputError, match="processes"):
        machine_function(td.Simulation(td.scene("grinding"), contact=False), "step")
    with pytest.raises(td.InputError, match="numbers along its last axis"):
        machine_function(td.scene("pendulum"), "mass_matrix")(np.zeros(5))
    with pytest.raises(td.InputError, match="not finite"):
        machine_function(td.scene("pendulum"), "mass_matrix")(np.full(2, np.nan))
