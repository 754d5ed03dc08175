"""Functions of a machine for PyTorch, with exact gradients of any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.exports.machine_function import MachineFunction, machine_function
from treadle.extras import require
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    import torch  # pyright: ignore[reportMissingImports]

__all__ = ["torch_function"]


def torch_function(
    machine: Model | Simulation, name: str, parameters: Sequence[str] = ()
) -> Callable[..., Any]:
    """A function of tensors with exact gradients: dynamics or a step (see `machine_function.FUNCTIONS`).

    Tensors have a state along their last axis and any axes before it. Several outputs are a tuple.
    `parameters` are names of constants (see `td.parameter_names`) that are a further input; `inputs` and
    `outputs` of the result list the arguments and results in order.

        step = td.torch_function(td.Simulation(model), "step")
        q, v = step(q, v, tau)
    """
    require("torch", "a function for PyTorch")
    function = machine_function(machine, name, parameters)
    call = _operation()

    def of_tensors(*tensors: torch.Tensor) -> Any:
        parts = call(function, *tensors).split(list(function.outputs.values()), dim=-1)
        return parts[0] if len(parts) == 1 else parts

    of_tensors.__name__ = name
    of_tensors.__doc__ = repr(function)
    of_tensors.inputs, of_tensors.outputs = function.inputs, function.outputs  # type: ignore[attr-defined]
    return of_tensors


def _operation() -> Callable[..., Any]:
    """`call(function, *tensors)`, made where torch is there."""
    import torch  # pyright: ignore[reportMissingImports]

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(function: MachineFunction, *tensors: torch.Tensor) -> torch.Tensor:
            arrays = [x.detach().cpu().numpy().astype(np.float64, copy=False) for x in tensors]
            return torch.from_numpy(function(*arrays)).to(tensors[0])

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
            ctx.function = inputs[0]
            ctx.save_for_backward(*inputs[1:])

        @staticmethod
        def backward(ctx: Any, *weights: torch.Tensor) -> tuple:
            given, function = ctx.saved_tensors, ctx.function
            flat = Call.apply(function.pullback, *given, weights[0])
            parts = flat.split(list(function.inputs.values()), dim=-1)
            return None, *[part.sum_to_size(x.shape) for part, x in zip(parts, given, strict=True)]

    return Call.apply
