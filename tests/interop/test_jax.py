"""JAX: gradients pass its own check, of dynamics and of steps with springs, loops and actuators."""

import numpy as np
import pytest

import treadle as td
from tests.exports.machines import MACHINES, sprung_arm, state_of

jax = pytest.importorskip("jax", reason="JAX is not installed: make test-interop", exc_type=ImportError)
jax.config.update("jax_enable_x64", True)


@pytest.mark.parametrize("name", ["sprung arm", "four-bar", "slide"])
@pytest.mark.parametrize("what", ["step", "acceleration"])
def test_check_grads(name, what):
    from jax.test_util import check_grads

    sim = MACHINES[name]()
    function = td.jax_function(sim, what)
    given = [jax.numpy.asarray(x) for x in state_of(sim, list(function.inputs))]
    units = [1.0 + abs(x) for x in given]
    scale = [1.0 / (1.0 + abs(y)) for y in _several(function(*given))]

    def scaled(*x):
        found = function(*[a * unit for a, unit in zip(x, units, strict=True)])
        return tuple(y * s for y, s in zip(_several(found), scale, strict=True))

    point = tuple(x / unit for x, unit in zip(given, units, strict=True))
    check_grads(scaled, point, order=1, modes=["rev"], atol=1e-5, rtol=1e-5)


def test_check_grads_of_forward_dynamics_twice():
    from jax.test_util import check_grads

    function = td.jax_function(sprung_arm().model, "forward_dynamics")
    given = tuple(jax.numpy.asarray(x) for x in np.random.default_rng(0).normal(size=(3, 2)))
    check_grads(function, given, order=2, modes=["rev"])


def test_jit_vmap_and_broadcasting():
    model = sprung_arm().model
    function = td.jax_function(model, "forward_dynamics")
    q, v, tau = jax.numpy.asarray(np.random.default_rng(1).normal(size=(3, 4, 2)))
    expected = td.forward_dynamics(model, q[2], v[2], tau[2])
    np.testing.assert_allclose(jax.jit(function)(q, v, tau)[2], expected, rtol=1e-12)
    np.testing.assert_allclose(jax.vmap(function)(q, v, tau)[2], expected, rtol=1e-12)
    gradient = jax.grad(lambda x: function(q, x, tau).sum())(v[0])
    assert gradient.shape == (2,)


def _several(found):
    return found if isinstance(found, tuple) else (found,)
