"""The balance of forces made linear, for methods that solve it once a step."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.derivatives import tangent_seeds
from treadle.graph import Expr, Scalar, forward
from treadle.integrators.system import System

__all__ = ["balance_slopes"]


def balance_slopes(
    system: System, q: Sequence[Expr], v: Sequence[Expr], time: Scalar
) -> tuple[list[Scalar], list[list[Scalar]], list[list[Scalar]]]:
    """C(q, v) - forces, and its derivatives by q (along the directions of v) and by v, each nv x nv."""
    nv = system.model.nv
    missing = system.balance(q, v, [0.0] * nv, time)
    seeds = tangent_seeds(system.model, q)
    for k, rate in enumerate(v):
        seeds[rate] = {nv + k: 1.0}
    slopes = forward(missing, seeds, 2 * nv)
    return missing, [row[:nv] for row in slopes], [row[nv:] for row in slopes]
