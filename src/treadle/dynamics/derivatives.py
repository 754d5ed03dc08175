"""Exact derivatives of forward and inverse dynamics.

Differentiating M(q) a + C(q, v) = tau at the solution gives

    da/dx = -M^-1 d rnea(q, v, a)/dx  for x = q, v,        da/dtau = M^-1,

so the graph of the short inverse dynamics is differentiated, not that of the long forward one.
Derivatives by q are along the tangent directions that v spans: d/dt f(q) = (df/dq) v.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.cholesky import factor, inverse, parent_freedoms, solve
from treadle.dynamics.crba import crba
from treadle.dynamics.rnea import rnea
from treadle.graph import Expr, Scalar, forward, hold
from treadle.model.model import Model

__all__ = ["inverse_dynamics_derivatives", "linearization", "tangent_seeds"]

Matrix = list[list[Scalar]]


def inverse_dynamics_derivatives(
    model: Model, q: Sequence[Expr], v: Sequence[Expr], a: Sequence[Scalar]
) -> tuple[Matrix, Matrix]:
    """d tau/d q (tangent) and d tau/d v of inverse dynamics at fixed a, each nv x nv."""
    nv = model.nv
    tau = rnea(model, q, v, [hold(x) for x in a])
    seeds: dict[Expr, dict[int, Scalar]] = tangent_seeds(model, q)
    for k, rate in enumerate(v):
        seeds[rate] = {nv + k: 1.0}
    rows = forward(tau, seeds, 2 * nv)
    return [row[:nv] for row in rows], [row[nv:] for row in rows]


def linearization(
    model: Model, q: Sequence[Expr], v: Sequence[Expr], tau: Sequence[Expr]
) -> tuple[list[Scalar], Matrix, Matrix, Matrix]:
    """Acceleration a, then d rnea/dq (tangent) and d rnea/dv at a, and M^-1, each nv x nv.

    The products with M^-1 that the derivatives of a still need are left to the caller: as dense
    matrices they are better done in a loop than in straight-line code.
    """
    L, diagonal = factor(crba(model, q), parent_freedoms(model))
    bias = rnea(model, q, v, [0.0] * model.nv)
    a = solve(L, diagonal, [t - b for t, b in zip(tau, bias, strict=True)])
    by_q, by_v = inverse_dynamics_derivatives(model, q, v, a)
    return a, by_q, by_v, inverse(L, diagonal)


def tangent_seeds(model: Model, q: Sequence[Expr]) -> dict[Expr, dict[int, Scalar]]:
    """Rates of the positions along each velocity direction, as seeds of forward differentiation."""
    seeds: dict[Expr, dict[int, Scalar]] = {}
    for joint in model.joints:
        for k in range(joint.type.nv):
            direction = [1.0 if i == k else 0.0 for i in range(joint.type.nv)]
            for x, rate in zip(q[joint.q], joint.type.rate(q[joint.q], direction), strict=True):
                if not (isinstance(rate, float) and rate == 0.0):
                    seeds.setdefault(x, {})[joint.v.start + k] = rate
    return seeds
