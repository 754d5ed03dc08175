"""Linear-implicit Euler with the loops on the level of velocities (index 2), order 1.

    q' = q (+) h v
    (M - h F_v) (v' - v) = h (F + h F_q v) + J(q)^T y,    J(q') v' = 0,    F = forces - C

Wang, "Interactive virtual prototyping of a mechanical system considering the environment effect. Part 2:
Simulation quality", equation (9): the position comes first, so that the velocity satisfies the loops there
exactly, with no need for their second derivatives. The matrix is not symmetric. Stiff dampers are no trouble;
stiff springs are, which `linear_implicit_euler` bears.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.crba import crba
from treadle.graph import Expr, Scalar, through_graph
from treadle.integrators.closing import closing_speeds, loop_groups, loop_jacobian, openings
from treadle.integrators.method import Advance, Method
from treadle.integrators.slopes import balance_slopes
from treadle.integrators.system import System
from treadle.solvers.saddle import saddle_solve

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    nq, nv = len(q), len(v)

    def changed(state: list[Expr]) -> list[Scalar]:
        q, v = state[:nq], state[nq:]
        missing, by_q, by_v = balance_slopes(system, q, v, time)
        M = crba(system.model, q)
        matrix = [[M[i][j] + dt * by_v[i][j] for j in range(nv)] for i in range(nv)]
        ahead = [sum((by_q[i][j] * v[j] for j in range(nv)), 0.0) for i in range(nv)]
        push = [-(dt * (r + dt * s)) for r, s in zip(missing, ahead, strict=True)]
        end = system.integrate(q, [dt * x for x in v])
        G = loop_jacobian(system, end)
        speeds = closing_speeds(system, end, v, G)
        B = loop_jacobian(system, q)
        gaps = openings(system, end)
        change, _ = saddle_solve(matrix, B, G, push, speeds, loop_groups(system.model), gaps)
        return [x + dx for x, dx in zip(v, change, strict=True)]

    new = through_graph(changed, [*q, *v])
    return Advance(system.integrate(q, [dt * x for x in v]), new)


METHOD = Method(
    step,
    1,
    "index-2 Euler: the velocity satisfies loops exactly, one linear solve a step",
    loops="velocities",
)
