"""Bounded impulses on single freedoms by sequential impulses in generalized coordinates.

    v' = v + G p,    low <= p <= high,    v'_i = target_i unless p_i is at a bound

G = M^-1 is the response of the machine to impulses, its loops held closed. What an impulse on a freedom does
is kept half solved, a short vector along the way to the base: a row costs two products with it, not a walk
over the tree. Rounds go on until no velocity changes any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.rows import closure_rows
from treadle.dynamics.cholesky import solve
from treadle.graph import Scalar, clip, iterate, maximum, where
from treadle.model.model import Model
from treadle.solvers.closure import ClosureFactor, closure_factor, half_solved

__all__ = ["bounded_velocity"]

#: Rounds after which the solver gives up.
_LIMIT = 500

#: Velocities (rad/s, m/s) that count as none, relative to the fastest.
_STILL = 1e-15

#: A freedom whose velocity answers less than this to an impulse (1/kg, 1/(kg m2)) is held by the loops.
_DEAF = 1e-14

#: Rows as a function of position and velocity: their number must not depend on them.
Rows = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[BoundedRow]]


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
        new, work = _sequential(model, position, velocity, rows(position, velocity))
        return [*position, *new, work], False

    values = iterate(solved, [*q, *v, 0.0], 1, when=active)
    return values[nq : nq + nv], values[-1]


def _sequential(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], rows: Sequence[BoundedRow]
) -> tuple[list[Scalar], Scalar]:
    """All rows in turn, again and again."""
    freedoms = sorted({row.freedom for row in rows})
    closure = closure_rows(model, q) if model.closed else []  # type: ignore[arg-type]
    solver = closure_factor(model, q, closure)
    columns = {freedom: _column(solver, freedom) for freedom in freedoms}
    own = {k: sum((x * y for x, y in columns[k].values()), 0.0) for k in freedoms}
    # a freedom that the loops hold does not answer to its impulse
    inverse = {k: where(x > _DEAF, 1.0 / where(x > _DEAF, x, 1.0), 0.0) for k, x in own.items()}
    places = sorted({place for column in columns.values() for place in column})
    speed: Scalar = 1e-3
    for x in v:
        speed = maximum(speed, abs(x))

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        z = dict(zip(places, values, strict=False))
        impulses = list(values[len(places) :])
        change: Scalar = 0.0
        for number, row in enumerate(rows):
            column = columns[row.freedom]
            velocity = v[row.freedom] + sum((y * z[k] for k, (_, y) in column.items()), 0.0)
            wanted = impulses[number] + (row.target - velocity) * inverse[row.freedom]
            new = clip(wanted, row.low, row.high)
            extra = new - impulses[number]
            impulses[number] = new
            change = maximum(change, abs(extra * own[row.freedom]))
            for k, (x, _) in column.items():
                z[k] = z[k] + x * extra
        return [*z.values(), *impulses], change > _STILL * speed

    start: list[Scalar] = [0.0] * (len(places) + len(rows))
    impulses = iterate(one_round, start, 1 if len(rows) == 1 else _LIMIT)[len(places) :]
    total: list[Scalar] = [0.0] * len(v)
    for row, impulse in zip(rows, impulses, strict=True):
        total[row.freedom] = total[row.freedom] + impulse
    free = solve(solver.L, solver.inverse_diagonal, total)
    opening = [sum((x * free[k] for k, x in row.jacobian.items()), 0.0) for row in closure]
    held = solver.response(solver.multipliers(opening))
    result = [x + a - b for x, a, b in zip(v, free, held, strict=True)]
    work: Scalar = 0.0
    for k in freedoms:
        work = work + 0.5 * total[k] * (v[k] + result[k])
    return result, work


def _column(solver: ClosureFactor, freedom: int) -> dict[tuple[str, int], tuple[Scalar, Scalar]]:
    """The response to an impulse on a freedom, half solved: sparse vectors x and y by their places.

    An impulse p adds p x to z, and y . z is the velocity of the freedom: Y and D^-1 Y of the tree, then U and
    -P^-1 U of the loops.
    """
    Y = half_solved(solver.L, {freedom: 1.0})
    U = solver.half_coupled(Y)
    tree = {("tree", k): (x, solver.inverse_diagonal[k] * x) for k, x in Y.items()}
    loops = {("loop", k): (x, -(solver.inverse_pivots[k] * x)) for k, x in U.items()}
    return tree | loops
