"""Functions of a machine for JAX, with exact gradients of any order; they work under jit, vmap and grad."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from treadle.exports.machine_function import MachineFunction, machine_function
from treadle.extras import require
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

__all__ = ["jax_function"]


def jax_function(
    machine: Model | Simulation, name: str, parameters: Sequence[str] = ()
) -> Callable[..., Any]:
    """A function of arrays with exact reverse-mode gradients (see `machine_function.FUNCTIONS`).

    Arrays have a state along their last axis and any axes before it. Several outputs are a tuple.
    `parameters` are names of constants (see `td.parameter_names`) that are a further input; `inputs` and
    `outputs` of the result list the arguments and results in order. Numbers are doubles where JAX has them on
    (`jax.config.update("jax_enable_x64", True)`).

        step = jax.jit(td.jax_function(td.Simulation(model), "step"))
        q, v = step(q, v, tau)
    """
    require("jax", "a function for JAX")
    function = machine_function(machine, name, parameters)
    call = _operation(function)
    places = np.cumsum(list(function.outputs.values()))[:-1]

    jnp: Any = require("jax.numpy", "a function for JAX")

    def of_arrays(*arrays: Any) -> Any:
        flat = call(*[jnp.asarray(x) for x in arrays])
        return tuple(jnp.split(flat, places, axis=-1)) if len(places) else flat

    of_arrays.__name__ = name
    of_arrays.__doc__ = repr(function)
    of_arrays.inputs, of_arrays.outputs = function.inputs, function.outputs  # type: ignore[attr-defined]
    return of_arrays


def _operation(function: MachineFunction) -> Callable[..., Any]:
    """The function of arrays, flat, with its derivative."""
    jax: Any = require("jax", "a function for JAX")
    jnp: Any = require("jax.numpy", "a function for JAX")
    size = sum(function.outputs.values())

    def on_host(dtype: Any, *arrays: Any) -> np.ndarray:
        return function(*[np.asarray(x, dtype=np.float64) for x in arrays]).astype(dtype)

    @jax.custom_vjp
    def call(*arrays: Any) -> Any:
        dtype = jnp.result_type(*arrays, jnp.float32)
        shape = jnp.broadcast_shapes(*[x.shape[:-1] for x in arrays])
        expected = jax.ShapeDtypeStruct((*shape, size), dtype)
        return jax.pure_callback(partial(on_host, dtype), expected, *arrays, vmap_method="broadcast_all")

    def forward(*arrays: Any) -> tuple[Any, Any]:
        return call(*arrays), arrays

    def backward(arrays: Sequence[Any], weights: Any) -> tuple:
        flat = _operation(function.pullback)(*arrays, weights)
        places = np.cumsum(list(function.inputs.values()))[:-1]
        return tuple(_summed(part, x.shape) for part, x in zip(jnp.split(flat, places, axis=-1), arrays))

    call.defvjp(forward, backward)
    return call


def _summed(x: Any, shape: tuple[int, ...]) -> Any:
    """x summed over the axes along which an input of this shape was repeated."""
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    repeated = tuple(k for k, (a, b) in enumerate(zip(x.shape, shape)) if a != b)
    return x.sum(axis=repeated, keepdims=True)
