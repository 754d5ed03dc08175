"""Bounded impulses by sequential impulses in generalized coordinates (SIMGC): all rows in turn, many times.

What an impulse of a row does is kept half solved (see `impulses`), so that a row costs two short
products, not a walk over the tree. After every round all impulses go on along the directions of the rounds
before, conjugate to each other (Silcowitz-Hansen, Niebe and Erleben 2010). It ends when a round changes no
velocity any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.constraints.bounded import BoundedRow
from treadle.graph import Scalar, clip, iterate, maximum, minimum, where

__all__ = ["Column", "sequential_impulses"]

#: Sparse vectors x and y of a row by their places: an impulse p adds p x to z, and y . z is its velocity.
Column = dict[tuple[str, int], tuple[Scalar, Scalar]]

#: Inverse effective mass (1/kg, 1/(kg m2)) below which loops hold a degree of freedom.
_DEAF = 1e-14


def sequential_impulses(
    columns: Sequence[Column],
    rows: Sequence[BoundedRow],
    v: Sequence[Scalar],
    tolerance: float = 1e-13,
    limit: int = 10_000,
    start: Sequence[Scalar] = (),
    when: Any = True,
) -> tuple[list[Scalar], Scalar]:
    """Impulses of the rows, by the response to each, and the rounds that it took.

    It ends when a round changed no velocity by more than the tolerance times the fastest of v. It begins with
    the impulses `start`, which are left as they are unless the condition `when` holds.
    """
    before = [row.speed(v) for row in rows]
    own = [
        sum((x * y for x, y in column.values()), 0.0) + row.softness
        for row, column in zip(rows, columns, strict=True)
    ]
    inverse = [where(x > _DEAF, 1.0 / where(x > _DEAF, x, 1.0), 0.0) for x in own]
    z_start: dict[tuple[str, int], Scalar] = {place: 0.0 for column in columns for place in column}
    for column, impulse in zip(columns, start, strict=False):
        for k, (x, _) in column.items():
            z_start[k] = z_start[k] + x * impulse
    places = sorted(z_start)
    speed: Scalar = 1e-2
    for x in v:
        speed = maximum(speed, abs(x))
    size = len(places) + len(rows)

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        """Values are z and the impulses, the direction they go on in, the size of the last change, rounds."""
        begin, along, (last, rounds) = values[:size], values[size : 2 * size], values[2 * size :]
        z = dict(zip(places, begin, strict=False))
        impulses = list(begin[len(places) :])
        change: Scalar = 0.0
        moved: Scalar = 0.0
        for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
            velocity = before[i] + sum((y * z[k] for k, (_, y) in column.items()), 0.0)
            velocity = velocity + row.softness * impulses[i]
            faster = maximum(impulses[i] + (row.slowest - velocity) * inverse[i], 0.0)
            slower = minimum(impulses[i] + (row.fastest - velocity) * inverse[i], 0.0)
            new = clip(faster + slower, row.low, row.high)
            extra = new - impulses[i]
            impulses[i] = new
            change = maximum(change, abs(extra * own[i]))
            moved = moved + own[i] * extra * extra
            for k, (x, _) in column.items():
                z[k] = z[k] + x * extra
        rounds = rounds + 1.0
        go_on = (change > tolerance * speed) & (rounds < float(limit))
        # what a round changes is to the impulses what a residual is to linear equations
        share = where(go_on & (moved < last), moved / where(last > 0.0, last, 1.0), 0.0)
        found = [*z.values(), *impulses]
        steps = [share * x for x in along]
        turned = [step + (new - old) for step, new, old in zip(steps, found, begin, strict=True)]
        return [*[x + step for x, step in zip(found, steps, strict=True)], *turned, moved, rounds], go_on

    first = [*[z_start[k] for k in places], *(start or [0.0] * len(rows))]
    values = iterate(one_round, [*first, *[0.0] * (size + 2)], limit, when)
    return values[len(places) : size], values[-1]
