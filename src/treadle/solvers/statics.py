"""Forces that hold a machine at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.dynamics.rnea import rnea
from treadle.model.model import Model
from treadle.solvers.assembly import closure_evaluation

__all__ = ["holding_forces"]


def holding_forces(model: Model, q: Sequence[float], freedoms: Sequence[int]) -> np.ndarray:
    """Joint forces on some degrees of freedom that, with the forces in the loops, balance gravity at q best.

    C(q, 0) = B u + J^T lambda in the sense of least squares; the others move freely.
    """
    needed = np.array(rnea(model, list(q), [0.0] * model.nv, [0.0] * model.nv), dtype=float)
    B = np.zeros((model.nv, len(freedoms)))
    B[list(freedoms), range(len(freedoms))] = 1.0
    if model.closed:
        _, jacobian = closure_evaluation(model)(np.array(q, dtype=float))
        B = np.hstack([B, jacobian.T])
    return np.linalg.lstsq(B, needed, rcond=None)[0][: len(freedoms)]
