"""Stops and friction of the joints: bounded impulses on single freedoms.

    v' = v + G p,    low <= p <= high,    slowest <= v' <= fastest unless p is at a bound

G = M^-1 is the response of the machine to impulses, its loops held closed. What an impulse on a freedom does
is kept half solved, a short vector along the way to the base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.rows import Row, closure_rows
from treadle.dynamics.cholesky import solve
from treadle.graph import Scalar, iterate
from treadle.model.model import Model
from treadle.solvers.active_set import active_set
from treadle.solvers.closure import ClosureFactor, closure_factor, half_solved
from treadle.solvers.simgc import Column, sequential_impulses

__all__ = ["Arrest", "Response", "Rows", "bounded_velocity", "response_at"]

#: Up to this many rows are solved together; the code of more would be too long, and they are solved in turn.
MOST_TOGETHER = 30

#: Rounds of rows in turn, at most.
MOST_ROUNDS = 200

#: Rows as a function of position and velocity: their number must not depend on them.
Rows = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[BoundedRow]]


def bounded_velocity(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Rows) -> Arrest:
    """What the impulses of all rows do. Where no row is active nothing is computed."""
    given = rows(q, v)
    nothing: list[Scalar] = [0.0] * len(v)
    if not given:
        return Arrest(list(v), 0.0, nothing)
    active: Any = False
    for row in given:
        active = active | row.active
    nq, nv = len(q), len(v)

    if active is True:
        return _solved(model, q, v, given)

    def sometimes(values: list[Scalar]) -> tuple[list[Scalar], object]:
        position, velocity = values[:nq], values[nq : nq + nv]
        new, work, total = _solved(model, position, velocity, rows(position, velocity))
        return [*position, *new, work, *total], False

    values = iterate(sometimes, [*q, *v, 0.0, *nothing], 1, when=active)
    return Arrest(values[nq : nq + nv], values[nq + nv], values[nq + nv + 1 :])


def _solved(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Sequence[BoundedRow]) -> Arrest:
    response = response_at(model, q, [row.freedom for row in rows])
    if len(rows) <= MOST_TOGETHER:
        impulses = active_set(response.matrix(rows), rows, v)
    else:
        impulses, _ = sequential_impulses(response.columns, rows, v, limit=MOST_ROUNDS)
    return response.after(v, rows, impulses)


class Arrest(NamedTuple):
    """The velocity after bounded impulses, the work (J) that these did, and their sum on every freedom."""

    v: list[Scalar]
    work: Scalar
    impulses: list[Scalar]


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

    def after(self, v: Sequence[Scalar], rows: Sequence[BoundedRow], impulses: Sequence[Scalar]) -> Arrest:
        """What impulses of the rows do."""
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
        return Arrest(result, work, total)


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
