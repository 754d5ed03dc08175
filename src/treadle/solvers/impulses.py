"""Stops and friction of the joints: bounded impulses on single freedoms.

    v' = v + G p,    low <= p <= high,    slowest <= v' <= fastest unless p is at a bound

G = M^-1 is the response of the machine to impulses, its loops held closed. What an impulse on a freedom does
is kept half solved, a short vector along the way to the base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.rows import Row, closure_rows
from treadle.dynamics.cholesky import solve
from treadle.graph import Scalar, iterate
from treadle.model.model import Model
from treadle.solvers.active_set import active_set
from treadle.solvers.closure import ClosureFactor, closure_factor, half_solved

__all__ = ["Response", "Rows", "bounded_velocity", "response_at"]

#: Rows as a function of position and velocity: their number must not depend on them.
Rows = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[BoundedRow]]

#: Sparse vectors x and y of a freedom by their places: an impulse p adds p x to z, and y . z is its velocity.
Column = dict[tuple[str, int], tuple[Scalar, Scalar]]


def bounded_velocity(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Rows
) -> tuple[list[Scalar], Scalar]:
    """The velocity after the impulses of all rows, and the work (J) that these did.

    Where no row is active nothing is computed.
    """
    given = rows(q, v)
    if not given:
        return list(v), 0.0
    active: Any = False
    for row in given:
        active = active | row.active
    nq, nv = len(q), len(v)

    def solved(values: list[Scalar]) -> tuple[list[Scalar], object]:
        position, velocity = values[:nq], values[nq : nq + nv]
        here = rows(position, velocity)
        response = response_at(model, position, [row.freedom for row in here])
        new, work = response.after(velocity, here, active_set(response.matrix(here), here, velocity))
        return [*position, *new, work], False

    values = iterate(solved, [*q, *v, 0.0], 1, when=active)
    return values[nq : nq + nv], values[-1]


@dataclass(frozen=True)
class Response:
    """How a machine at a position answers to impulses on some of its freedoms."""

    solver: ClosureFactor
    closure: Sequence[Row]
    columns: dict[int, Column]

    def matrix(self, rows: Sequence[BoundedRow]) -> list[dict[int, Scalar]]:
        """G of the rows: the velocity of one's freedom under an impulse of another, zeros left out."""
        G: list[dict[int, Scalar]] = [{} for _ in rows]
        for i, first in enumerate(rows):
            for j, second in enumerate(rows[: i + 1]):
                a, b = self.columns[first.freedom], self.columns[second.freedom]
                if shared := [k for k in a if k in b]:
                    G[i][j] = G[j][i] = sum((a[k][0] * b[k][1] for k in shared), 0.0)
        return G

    def after(
        self, v: Sequence[Scalar], rows: Sequence[BoundedRow], impulses: Sequence[Scalar]
    ) -> tuple[list[Scalar], Scalar]:
        """The velocity after impulses, and their work (J)."""
        total: list[Scalar] = [0.0] * len(v)
        for row, impulse in zip(rows, impulses, strict=True):
            total[row.freedom] = total[row.freedom] + impulse
        free = solve(self.solver.L, self.solver.inverse_diagonal, total)
        opening = [sum((x * free[k] for k, x in row.jacobian.items()), 0.0) for row in self.closure]
        held = self.solver.response(self.solver.multipliers(opening))
        result = [x + a - b for x, a, b in zip(v, free, held, strict=True)]
        work: Scalar = 0.0
        for k in self.columns:
            work = work + 0.5 * total[k] * (v[k] + result[k])
        return result, work


def response_at(model: Model, q: Sequence[Scalar], freedoms: Sequence[int]) -> Response:
    """The response at a position."""
    closure = closure_rows(model, q) if model.closed else []  # type: ignore[arg-type]
    solver = closure_factor(model, q, closure)
    return Response(solver, closure, {freedom: _column(solver, freedom) for freedom in sorted(set(freedoms))})


def _column(solver: ClosureFactor, freedom: int) -> Column:
    """Y and D^-1 Y of the tree, then U and -P^-1 U of the loops."""
    Y = half_solved(solver.L, {freedom: 1.0})
    U = solver.half_coupled(Y)
    tree = {("tree", k): (x, solver.inverse_diagonal[k] * x) for k, x in Y.items()}
    loops = {("loop", k): (x, -(solver.inverse_pivots[k] * x)) for k, x in U.items()}
    return tree | loops
