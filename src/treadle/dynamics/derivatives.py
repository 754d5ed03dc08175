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

__all__ = ["forward_dynamics_derivatives", "inverse_dynamics_derivatives", "tangent_seeds"]

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


def forward_dynamics_derivatives(
    model: Model, q: Sequence[Expr], v: Sequence[Expr], tau: Sequence[Expr]
) -> tuple[list[Scalar], Matrix, Matrix, Matrix]:
    """Acceleration a, and da/dq (tangent), da/dv, da/dtau, each nv x nv."""
    L, diagonal = factor(crba(model, q), parent_freedoms(model))
    bias = rnea(model, q, v, [0.0] * model.nv)
    a = solve(L, diagonal, [t - b for t, b in zip(tau, bias, strict=True)])
    by_q, by_v = inverse_dynamics_derivatives(model, q, v, a)
    M_inverse = inverse(L, diagonal)
    return a, _minus_solve(L, diagonal, by_q), _minus_solve(L, diagonal, by_v), M_inverse


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


def _minus_solve(L: Sequence[dict[int, Scalar]], diagonal: Sequence[Scalar], B: Matrix) -> Matrix:
    """-(M^-1) B, column by column."""
    columns = [solve(L, diagonal, [-row[k] for row in B]) for k in range(len(B))]
    return [list(row) for row in zip(*columns, strict=True)]
