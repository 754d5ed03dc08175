"""What stops, friction, ropes and rigid motors do to the velocity: bounded impulses.

    v' = v + M^-1 J^T p,    low <= p <= high,    slowest <= J v' <= fastest unless p is at a bound

M^-1 is the response of the machine to impulses, its loops held closed, and G = J M^-1 J^T that of the rows.
What an impulse of a row does is kept half solved, a short vector along the way to the base. The solver
"simgc" knows the response of the tree alone: its loops are rows too, which keep their velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treadle.constraints.bounded import ANY, Arrest, BoundedRow
from treadle.constraints.rows import Row, closure_rows
from treadle.dynamics.cholesky import parent_freedoms, solve
from treadle.dynamics.crba import crba
from treadle.graph import Scalar, iterate, logical_not, where
from treadle.model.model import Model
from treadle.solvers.active_set import active_set
from treadle.solvers.closure import ClosureFactor, closure_factor, half_solved
from treadle.solvers.simgc import Column, sequential_impulses
from treadle.solvers.tree_active_set import on_single_freedoms, tree_active_set

__all__ = [
    "Response",
    "Rows",
    "bounded_velocity",
    "on_freedoms",
    "response_at",
    "tree_column",
]

#: Up to this many rows are solved together by a dense factor; the code of more would be too long.
MOST_TOGETHER = 30

#: Rounds of rows in turn, at most.
MOST_ROUNDS = 200

#: Rows as a function of position and velocity: their number must not depend on them.
Rows = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[BoundedRow]]


def bounded_velocity(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Rows, solver: str = "direct"
) -> Arrest:
    """What the impulses of all rows do. Where no row is active nothing is computed."""
    given = rows(q, v)
    nothing: list[Scalar] = [0.0] * len(v)
    if not given:
        return Arrest(list(v), 0.0, nothing, [])
    active: Any = False
    for row in given:
        active = active | row.active
    nq, nv = len(q), len(v)

    if active is True:
        return _solved(model, q, v, given, solver)

    def sometimes(values: list[Scalar]) -> tuple[list[Scalar], object]:
        position, velocity = values[:nq], values[nq : nq + nv]
        new, work, total, each = _solved(model, position, velocity, rows(position, velocity), solver)
        return [*position, *new, work, *total, *each], False

    start = [*q, *v, 0.0, *nothing, *[0.0] * len(given)]
    values = iterate(sometimes, start, 1, when=active)[nq:]
    return Arrest(values[:nv], values[nv], values[nv + 1 : 2 * nv + 1], values[2 * nv + 1 :])


def _solved(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Sequence[BoundedRow], solver: str
) -> Arrest:
    if solver == "simgc":
        return _in_turn(model, q, v, rows)
    response = response_at(model, q, rows)
    if len(rows) <= MOST_TOGETHER:
        impulses = active_set(response.matrix(rows), rows, v)
    elif not model.closed and on_single_freedoms(rows):
        impulses, held, settled = tree_active_set(crba(model, q), parent_freedoms(model), rows, v)
        more = {"limit": MOST_ROUNDS, "start": impulses, "when": logical_not(settled)}
        impulses, _ = sequential_impulses(response.columns, rows, v, **more)
        after = response.after(v, rows, impulses).v
        # what is held is held exactly, not to the rounding of its impulses
        return _arrest(
            v, [where(*held[k], x) if k in held else x for k, x in enumerate(after)], rows, impulses
        )
    else:
        impulses, _ = sequential_impulses(response.columns, rows, v, limit=MOST_ROUNDS)
    return response.after(v, rows, impulses)


def _in_turn(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Sequence[BoundedRow]) -> Arrest:
    """By sequential impulses, with the loops among the rows."""
    closure = closure_rows(model, q) if model.closed else []  # type: ignore[arg-type]
    loops = [BoundedRow(row.jacobian, 0.0, 0.0, -ANY, ANY) for row in closure]
    loops = [replace(row, slowest=row.speed(v), fastest=row.speed(v)) for row in loops]
    every = [*loops, *rows]
    response = response_at(replace(model, loops=(), couplings=()), q, every)
    impulses, _ = sequential_impulses(response.columns, every, v)
    after, given = response.after(v, every, impulses).v, impulses[len(loops) :]
    return _arrest(v, after, rows, given)


@dataclass(frozen=True)
class Response:
    """Inverse effective masses of rows at a position of a machine."""

    solver: ClosureFactor
    closure: Sequence[Row]
    columns: Sequence[Column]

    def matrix(self, rows: Sequence[BoundedRow]) -> list[dict[int, Scalar]]:
        """G of the rows: the velocity of one under an impulse of another, zeros left out."""
        G: list[dict[int, Scalar]] = [{} for _ in rows]
        for i, a in enumerate(self.columns):
            for j, b in enumerate(self.columns[: i + 1]):
                if shared := [k for k in a if k in b]:
                    total = sum((a[k][0] * b[k][1] for k in shared if k[0] == "tree"), 0.0)
                    for k in shared:
                        if k[0] == "loop":
                            # a product with the minus inside would make nodes for nothing
                            total = total - a[k][0] * -b[k][1]
                    G[i][j] = G[j][i] = total
            G[i][i] = G[i][i] + rows[i].softness
        return G

    def after(self, v: Sequence[Scalar], rows: Sequence[BoundedRow], impulses: Sequence[Scalar]) -> Arrest:
        """What impulses of the rows do."""
        total = on_freedoms(rows, impulses, len(v))
        free = solve(self.solver.L, self.solver.inverse_diagonal, total)
        opening = [sum((x * free[k] for k, x in row.jacobian.items()), 0.0) for row in self.closure]
        held = self.solver.response(self.solver.multipliers(opening))
        result = [x + a - b for x, a, b in zip(v, free, held, strict=True)]
        return _arrest(v, result, rows, impulses)


def _arrest(
    v: Sequence[Scalar], after: Sequence[Scalar], rows: Sequence[BoundedRow], impulses: Sequence[Scalar]
) -> Arrest:
    total = on_freedoms(rows, impulses, len(v))
    work: Scalar = 0.0
    for k in sorted({k for row in rows for k in row.jacobian}):
        work = work + 0.5 * total[k] * (v[k] + after[k])
    return Arrest(list(after), work, total, list(impulses))


def on_freedoms(
    rows: Sequence[BoundedRow] | Sequence[Row], impulses: Sequence[Scalar], size: int
) -> list[Scalar]:
    """J^T p."""
    total: list[Scalar] = [0.0] * size
    for row, impulse in zip(rows, impulses, strict=True):
        for k, x in row.jacobian.items():
            total[k] = total[k] + x * impulse
    return total


def response_at(model: Model, q: Sequence[Scalar], rows: Sequence[BoundedRow]) -> Response:
    """The response to the impulses of rows at a position."""
    closure = closure_rows(model, q) if model.closed else []  # type: ignore[arg-type]
    solver = closure_factor(model, q, closure)
    return Response(solver, closure, [_column(solver, row.jacobian) for row in rows])


def tree_column(solver: ClosureFactor, jacobian: dict[int, Scalar]) -> Column:
    """Y and D^-1 Y of a row on the tree, the loops left open."""
    Y = half_solved(solver.L, jacobian)
    return {("tree", k): (x, solver.inverse_diagonal[k] * x) for k, x in Y.items()}


def _column(solver: ClosureFactor, jacobian: dict[int, Scalar]) -> Column:
    """Y and D^-1 Y of the tree, then U and -P^-1 U of the loops."""
    tree = tree_column(solver, jacobian)
    U = solver.half_coupled({k: x for (_, k), (x, _) in tree.items()})
    return tree | {("loop", k): (x, -(solver.inverse_pivots[k] * x)) for k, x in U.items()}
