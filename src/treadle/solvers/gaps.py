"""How far the loops of a machine are open, and how fast they open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from treadle.constraints.rows import residual_rates, residuals
from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.native.program import Program, compile_program

__all__ = ["loop_gaps"]


def loop_gaps(model: Model) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The function of q and v that gives the residuals of all loops (m, sines of angles) and their rates."""

    def gaps(q: Sequence[Scalar], v: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        return {"gaps": residuals(model, q), "rates": residual_rates(model, q, v)}  # type: ignore[arg-type]

    sizes = {"q": model.nq, "v": model.nv}
    executable = compile_program(Program(f"gaps {model.digest}", sizes, gaps, hot=False))

    def evaluate(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        outputs = executable(q, v)
        if outputs is None:
            raise InputError(f"q and v of {model.name!r} must be finite")
        return outputs[0], outputs[1]

    return evaluate
