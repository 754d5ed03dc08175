"""PyTorch: gradients pass its own check, of dynamics and of steps with springs, loops and actuators."""

import numpy as np
import pytest

import treadle as td
from tests.exports.machines import MACHINES, sprung_arm, state_of

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: make test-interop", exc_type=ImportError
)

STEPPED = ["sprung arm", "four-bar", "slide"]


def tensors(function, sim):
    given = state_of(sim, list(function.inputs))
    return [torch.tensor(x, requires_grad=True) for x in given]


@pytest.mark.parametrize("name", STEPPED)
@pytest.mark.parametrize("what", ["step", "acceleration"])
def test_gradcheck(name, what):
    sim = MACHINES[name]()
    function = td.torch_function(sim, what)
    given = tensors(function, sim)
    scale = [1.0 / (1.0 + y.detach().abs()) for y in _several(function(*given))]

    def scaled(*x):
        return tuple(y * s for y, s in zip(_several(function(*x)), scale, strict=True))

    # pressures are of order 1e7: their steps must be, too
    eps = 1e-6 if name != "slide" else 1e-4
    assert torch.autograd.gradcheck(scaled, given, eps=eps, atol=1e-6, rtol=1e-4)


def test_gradcheck_of_forward_dynamics_and_its_second_derivatives():
    model = sprung_arm().model
    function = td.torch_function(model, "forward_dynamics")
    torch.manual_seed(0)
    given = [torch.randn(3, 2, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    assert torch.autograd.gradcheck(function, given)
    assert torch.autograd.gradgradcheck(function, given)


def test_many_states_and_shared_ones():
    model = sprung_arm().model
    function = td.torch_function(model, "forward_dynamics")
    q, v = torch.randn(5, 2, dtype=torch.float64), torch.randn(2, dtype=torch.float64, requires_grad=True)
    a = function(q, v, torch.zeros(2, dtype=torch.float64))
    np.testing.assert_allclose(
        a[3].detach(), td.forward_dynamics(model, q[3], v.detach(), [0, 0]), rtol=1e-12
    )
    a.sum().backward()
    assert v.grad.shape == (2,)


def test_a_rollout_is_the_simulation():
    sim = sprung_arm()
    step = td.torch_function(sim, "step")
    state = dict(zip(step.inputs, tensors(step, sim), strict=True))
    for _ in range(20):
        state |= dict(zip(step.outputs, _several(step(*state.values())), strict=True))
    sim.step(20)
    np.testing.assert_allclose(state["q"].detach(), sim.q, rtol=1e-12)


def _several(found):
    return found if isinstance(found, tuple) else (found,)
