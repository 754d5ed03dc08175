"""Linear-implicit Euler, order 1: the first step of Newton's method for implicit Euler, from v' = v.

    (M - h F_v - h^2 F_q) (v' - v) = h F + J^T y,    J v' = 0,    q' = q (+) h v',    F = forces - C

All are taken at the position q (+) h v with the velocity v, at the end of the step; F_q is the derivative
along the directions that velocities span, y are the impulses of closed loops.
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
        v = state[nq:]
        end = system.integrate(state[:nq], [dt * x for x in v])
        missing, by_q, by_v = balance_slopes(system, end, v, time + dt)  # type: ignore[arg-type]
        M = crba(system.model, end)
        matrix = [[M[i][j] + dt * (by_v[i][j] + dt * by_q[i][j]) for j in range(nv)] for i in range(nv)]
        J = loop_jacobian(system, end)
        speeds = closing_speeds(system, end, v, J)
        push = [-(dt * x) for x in missing]
        gaps = openings(system, end)
        change, _ = saddle_solve(matrix, J, J, push, speeds, loop_groups(system.model), gaps)
        return [x + dx for x, dx in zip(v, change, strict=True)]

    new = through_graph(changed, [*q, *v])
    return Advance(system.integrate(q, [dt * x for x in new]), new)


METHOD = Method(
    step, 1, "linear-implicit Euler: stable for stiff forces, one linear solve a step", loops="velocities"
)
