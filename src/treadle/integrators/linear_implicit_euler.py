"""Linear-implicit Euler, order 1: implicit Euler with one linear solve per step, exact Jacobians.

    (M - h F_v - h^2 F_q) (v' - v) = h (F + h F_q v),    q' = q (+) h v',    F = forces - C(q, v)

F_q is the derivative along the directions that v spans.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.crba import crba
from treadle.dynamics.derivatives import tangent_seeds
from treadle.dynamics.lu import lu_solve
from treadle.graph import Expr, Scalar, forward, through_graph
from treadle.integrators.method import Advance, Method
from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    nv = system.model.nv

    def change(state: list[Expr]) -> list[Scalar]:
        q, v = state[: system.model.nq], state[system.model.nq :]
        missing = system.balance(q, v, [0.0] * nv, time)
        seeds = tangent_seeds(system.model, q)
        for k, rate in enumerate(v):
            seeds[rate] = {nv + k: 1.0}
        slopes = forward(missing, seeds, 2 * nv)
        M = crba(system.model, q)
        matrix = [
            [M[i][j] + dt * (slopes[i][nv + j] + dt * slopes[i][j]) for j in range(nv)] for i in range(nv)
        ]
        ahead = [sum((slopes[i][j] * v[j] for j in range(nv)), 0.0) for i in range(nv)]
        return lu_solve(matrix, [-(dt * (r + dt * s)) for r, s in zip(missing, ahead, strict=True)])

    new = [x + dx for x, dx in zip(v, through_graph(change, [*q, *v]), strict=True)]
    return Advance(system.integrate(q, [dt * x for x in new]), new)


METHOD = Method(step, 1, "linear-implicit Euler: stable for stiff forces, one linear solve a step")
