"""Forward dynamics of machines with closed loops: constraint forces on the level of accelerations.

M a + C = f + J^T lambda,    J a + gamma = 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.constraints.rows import bias, closure_rows
from treadle.dynamics.cholesky import solve
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.graph import Expr, Scalar, through_graph
from treadle.model.model import Model
from treadle.solvers.closure import closure_factor
from treadle.spatial import Force

__all__ = ["closed_dynamics"]


def closed_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
) -> list[Scalar]:
    """Accelerations dv/dt that keep the loops closed."""
    return through_graph(lambda x: _closed(model, x, v, force, external), q)


def _closed(
    model: Model,
    q: Sequence[Expr],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    external: Mapping[int, Force] | None,
) -> list[Scalar]:
    rows = closure_rows(model, q)
    solver = closure_factor(regroup(model), q, rows)
    needed = rnea(regroup(model), q, v, [0.0] * model.nv, external)
    free = solve(solver.L, solver.inverse_diagonal, [f - c for f, c in zip(force, needed, strict=True)])
    gamma = bias(model, q, v, rows)
    opening = [
        g + sum((x * free[k] for k, x in row.jacobian.items()), 0.0)
        for row, g in zip(rows, gamma, strict=True)
    ]
    push = solver.response([-x for x in solver.multipliers(opening)])
    return [a + b for a, b in zip(free, push, strict=True)]
