"""Forward dynamics of machines with closed loops: constraint forces on the level of accelerations.

M a + C = f + J^T lambda,    J a + gamma = 0

The forces come from an elimination (see `closure`) or, with the solver "simgc", from sequential impulses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.constraints.rows import Row, bias, closure_rows, residual_rates, residuals
from treadle.dynamics.cholesky import solve
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.graph import Expr, Scalar, through_graph
from treadle.model.model import Model
from treadle.solvers.closure import ClosureFactor, closure_factor
from treadle.solvers.impulses import on_freedoms, tree_column
from treadle.solvers.simgc import sequential_impulses
from treadle.spatial import Force

__all__ = ["ClosedMotion", "closed_dynamics", "closed_kick", "closed_motion", "loop_torques"]


class ClosedMotion(NamedTuple):
    """Accelerations dv/dt (nv), and the multipliers of all residuals (see `constraints.rows`).

    A multiplier is in N for a length, in N m for the sine of an angle, and the force on its joint for a
    coupling. Where rows depend on each other the split among them is a matter of choice: those that
    depend on rows eliminated before them take nothing, nor do rows that no joint moves.
    """

    acceleration: list[Scalar]
    multipliers: list[Scalar]


def closed_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
    closing_time: Scalar | None = None,
    solver: str = "direct",
) -> list[Scalar]:
    """Accelerations dv/dt that keep the loops closed."""
    return closed_motion(model, q, v, force, external, closing_time, solver).acceleration


def closed_motion(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
    closing_time: Scalar | None = None,
    solver: str = "direct",
) -> ClosedMotion:
    """Accelerations that keep the loops closed, and the forces in the loops that see to it.

    With a `closing_time` T (s) loops that are open close: d2c/dt2 + 2/T dc/dt + c/T^2 = 0 (Baumgarte 1972).
    """
    values = through_graph(lambda x: _closed(model, x, v, force, external, closing_time, solver), q)
    return ClosedMotion(values[: model.nv], values[model.nv :])


def closed_kick(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    dt: Scalar,
    external: Mapping[int, Force] | None = None,
    solver: str = "direct",
    least: Scalar | None = None,
) -> list[Scalar]:
    """The velocity v' of a step q' = q (+) h v' that starts and ends with closed loops.

    M (v' - v) = h (f - C(q, w)) + J^T lambda,    J v' + h/2 gamma = 0,    J w = 0

    The drift h v' opens the loops by h J v' + h^2/2 gamma and terms of third order. Inertial forces are
    taken at the velocity w half way through the kick, so that the kick is symmetric in time. Rows with less
    than the `least` share, if it is given, count as dependent (see `closure`).
    """
    return through_graph(lambda x: _kicked(model, x, v, force, dt, external, solver, least), q)


def loop_torques(model: Model, q: Sequence[Scalar], multipliers: Sequence[Scalar]) -> list[Scalar]:
    """J^T lambda: what the multipliers of all residuals amount to at the joints (nv)."""

    def torques(x: Sequence[Expr]) -> list[Scalar]:
        rows = closure_rows(model, x[: model.nq])
        return on_freedoms(rows, [x[model.nq + row.index] for row in rows], model.nv)

    return through_graph(torques, [*q, *multipliers])


def _kicked(
    model: Model,
    q: Sequence[Expr],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    dt: Scalar,
    external: Mapping[int, Force] | None,
    solver: str,
    least: Scalar | None,
) -> list[Scalar]:
    rows, tree = closure_rows(model, q), regroup(model)
    in_turn = solver == "simgc"
    factor = closure_factor(model, q, [] if in_turn else rows, *([] if least is None else [least]))

    def kicked(w: Sequence[Scalar], h: Scalar, goals: Sequence[Scalar]) -> list[Scalar]:
        needed = rnea(tree, q, w, [0.0] * model.nv, external)
        free = solve(factor.L, factor.inverse_diagonal, [f - c for f, c in zip(force, needed, strict=True)])
        ahead = [x + h * a for x, a in zip(v, free, strict=True)]
        if in_turn:
            impulses = _in_turn(factor, rows, goals, ahead)
            pushed = solve(factor.L, factor.inverse_diagonal, on_freedoms(rows, impulses, model.nv))
        else:
            missing = [goal - _rate(row, ahead) for row, goal in zip(rows, goals, strict=True)]
            pushed = factor.response(factor.multipliers(missing))
        return [a + b for a, b in zip(ahead, pushed, strict=True)]

    half = 0.5 * dt
    w = kicked(v, half, [0.0] * len(rows))
    return kicked(w, dt, [-(half * g) for g in bias(model, q, v, rows)])


def _closed(
    model: Model,
    q: Sequence[Expr],
    v: Sequence[Scalar],
    force: Sequence[Scalar],
    external: Mapping[int, Force] | None,
    closing_time: Scalar | None,
    solver: str,
) -> list[Scalar]:
    rows = closure_rows(model, q)
    in_turn = solver == "simgc"
    factor = closure_factor(model, q, [] if in_turn else rows)
    needed = rnea(regroup(model), q, v, [0.0] * model.nv, external)
    free = solve(factor.L, factor.inverse_diagonal, [f - c for f, c in zip(force, needed, strict=True)])
    gamma = bias(model, q, v, rows)
    if closing_time is not None:
        c = [row.residual for row in rows]
        every = residual_rates(model, q, v)
        speeds = [every[row.index] for row in rows]
        gamma = [
            g + (2.0 * s + x / closing_time) / closing_time for g, s, x in zip(gamma, speeds, c, strict=True)
        ]
    if in_turn:
        multipliers = _in_turn(factor, rows, [-g for g in gamma], free)
        pushed = solve(factor.L, factor.inverse_diagonal, on_freedoms(rows, multipliers, model.nv))
    else:
        opening = [g + _rate(row, free) for row, g in zip(rows, gamma, strict=True)]
        multipliers = [-x for x in factor.multipliers(opening)]
        pushed = factor.response(multipliers)
    forces: list[Scalar] = [0.0] * len(residuals(model, q))
    for row, multiplier in zip(rows, multipliers, strict=True):
        forces[row.index] = multiplier
    return [*[a + b for a, b in zip(free, pushed, strict=True)], *forces]


def _in_turn(
    factor: ClosureFactor, rows: Sequence[Row], goals: Sequence[Scalar], free: Sequence[Scalar]
) -> list[Scalar]:
    """Multipliers of rows that reach their targets (velocities or accelerations), by sequential impulses."""
    targets = [BoundedRow(row.jacobian, goal, goal, -ANY, ANY) for row, goal in zip(rows, goals, strict=True)]
    columns = [tree_column(factor, row.jacobian) for row in rows]
    return sequential_impulses(columns, targets, free)[0]


def _rate(row: Row, v: Sequence[Scalar]) -> Scalar:
    return sum((x * v[k] for k, x in row.jacobian.items()), 0.0)
