"""Back onto the constraints: positions first, then velocities, in the norm of the inertia matrix.

    q <- q (+) -M^-1 J^T A^-1 c(q)  until c(q) = 0,    v <- v - M^-1 J^T A^-1 J v,    A = J M^-1 J^T

M, J and A are those of the first position: it is near the constraints already, so that few rounds take
the residual down to rounding. Where it was not near enough to tell which rows depend on others, all is done
once more from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from treadle.constraints.rows import closure_rows, residual_rates, residuals
from treadle.graph import Expr, Scalar, iterate, maximum, minimum, through_graph
from treadle.model.model import Model
from treadle.solvers.closure import ClosureFactor, closure_factor

__all__ = ["project"]

#: Rounds after which a projection gives up.
_LIMIT = 20

#: Residuals below this count as closed, once they no longer shrink.
_SMALL = 1e-9


def project(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], gaps: Sequence[Scalar] = ()
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Position and velocity that satisfy the constraints; gap, residual left, distance (`closure`).

    Loops are closed or, where `gaps` are given for all residuals, open by these. The gap is that of all rows;
    the residual that is left is that of independent ones, which a projection can close.
    """
    nq, nv = len(q), len(v)
    values = through_graph(
        lambda x: _projected(model, x[:nq], x[nq : nq + nv], x[nq + nv :]), [*q, *v, *gaps]
    )
    return values[:nq], values[nq : nq + nv], values[nq + nv :]


def _projected(model: Model, q: Sequence[Expr], v: Sequence[Scalar], gaps: Sequence[Scalar]) -> list[Scalar]:
    nq, nv = len(q), len(v)

    def once(values: list[Scalar]) -> tuple[list[Scalar], object]:
        state, gaps = values[: nq + nv], values[nq + nv + 3 :]
        *new, doubtful = _onto(model, state[:nq], state[nq:], gaps)
        return [*new, *gaps], doubtful > 0.5

    return iterate(once, [*q, *v, 0.0, 0.0, 1.0, *gaps], 2, rarely=True)[: nq + nv + 3]


def _onto(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], gaps: Sequence[Scalar]) -> list[Scalar]:
    """Position, velocity, gap, residual left, distance, and whether the choice of rows was doubtful."""
    rows = closure_rows(model, q)  # type: ignore[arg-type]
    if gaps:
        rows = [replace(row, residual=row.residual - gaps[row.index]) for row in rows]
    nq, nv = len(q), len(v)
    solver = closure_factor(model, q, rows)

    def kept(position: Sequence[Scalar]) -> list[Scalar]:
        every = residuals(model, position)
        return [every[row.index] - gaps[row.index] if gaps else every[row.index] for row in rows]

    def moved(position: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        c = kept(position)
        step = solver.response([-x for x in solver.multipliers(c)])
        new = [x for j in model.joints for x in j.type.integrate(position[j.q], step[j.v])]
        return new, c

    def slowed(position: Sequence[Scalar], velocity: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        every = residual_rates(model, position, velocity)  # type: ignore[arg-type]
        speeds = [every[row.index] for row in rows]
        step = solver.response(solver.multipliers(speeds))
        return [x - dx for x, dx in zip(velocity, step, strict=True)], speeds

    *position, left, gap = _repeat(solver, lambda x: moved(x[:nq]), list(q))
    *velocity, _, _ = _repeat(solver, lambda x: slowed(position, x[:nv]), list(v), linear=True)
    # rows that no joint moves are open by what they are everywhere
    every, moving = residuals(model, q), {row.index for row in rows}
    for c in (c for index, c in enumerate(every) if index not in moving):
        gap = maximum(gap, abs(c))
    return [*position, *velocity, gap, left, solver.distance(), solver.doubtful]


def _repeat(
    solver: ClosureFactor,
    improve: Callable[[list[Scalar]], tuple[list[Scalar], list[Scalar]]],
    start: list[Scalar],
    linear: bool = False,
) -> list[Scalar]:
    """Improve while the residual is there and, once small, still halves; then what it was, and the gap.

    The gap is that of all rows: nothing improves that of rows that depend on others.
    Rounds of a `linear` problem all gain the same digits: the last is the one that will reach rounding.
    """

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        *x, previous, _ = values
        new, residual = improve(x)
        worst: Scalar = 0.0
        gap: Scalar = 0.0
        for c, kept in zip(residual, solver.independent(residual), strict=True):
            worst, gap = maximum(worst, abs(kept)), maximum(gap, abs(c))
        left = worst * minimum(worst / previous, 1.0) if linear else worst
        go_on = (left > 1e-15) & ((worst < 0.5 * previous) | (worst > _SMALL))
        return [*new, worst, gap], go_on

    return iterate(one_round, [*start, 1e-30 if linear else 1e30, 0.0], _LIMIT)
