"""Forces that hold a machine at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from treadle.constraints.rows import closure_rows
from treadle.dynamics.rnea import rnea
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.native.program import Program, compile_program

__all__ = ["holding_forces"]


def holding_forces(model: Model, q: Sequence[float], freedoms: Sequence[int]) -> np.ndarray:
    """Joint forces on some freedoms that, with the forces in the loops, balance gravity at q best.

    C(q, 0) = B u + J^T lambda in the sense of least squares; the others move freely.
    """

    def weights(q: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        needed = rnea(model, q, [0.0] * model.nv, [0.0] * model.nv)
        rows = closure_rows(model, q) if model.closed else []  # type: ignore[arg-type]
        jacobian = [row.jacobian.get(k, 0.0) for row in rows for k in range(model.nv)]
        return {"needed": needed, "jacobian": jacobian}

    program = Program(f"statics {model.digest}", {"q": model.nq}, weights, hot=False)
    outputs = compile_program(program)(list(q))
    assert outputs is not None
    needed, jacobian = outputs
    B = np.zeros((model.nv, len(freedoms)))
    B[list(freedoms), range(len(freedoms))] = 1.0
    known = np.hstack([B, jacobian.reshape(-1, model.nv).T])
    return np.linalg.lstsq(known, needed, rcond=None)[0][: len(freedoms)]
