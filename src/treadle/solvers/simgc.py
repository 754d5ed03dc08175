"""Bounded impulses by sequential impulses in generalized coordinates (SIMGC): all rows in turn, many times.

What an impulse of a row does is kept half solved (see `impulses`), so that a row costs two short
products, not a walk over the tree. Rounds go on until no velocity changes any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.bounded import BoundedRow
from treadle.graph import Scalar, clip, iterate, maximum, minimum, where

__all__ = ["Column", "sequential_impulses"]

#: Sparse vectors x and y of a row by their places: an impulse p adds p x to z, and y . z is its velocity.
Column = dict[tuple[str, int], tuple[Scalar, Scalar]]

#: A freedom whose velocity answers less than this to an impulse (1/kg, 1/(kg m2)) is held by the loops.
_DEAF = 1e-14


def sequential_impulses(
    columns: Sequence[Column],
    rows: Sequence[BoundedRow],
    v: Sequence[Scalar],
    tolerance: float = 1e-13,
    limit: int = 10_000,
) -> tuple[list[Scalar], Scalar]:
    """Impulses of the rows, by the response to each, and the rounds until none changed a velocity by more than the tolerance.

    The tolerance is relative to the fastest of the velocities v.
    """
    before = [row.speed(v) for row in rows]
    own = [
        sum((x * y for x, y in column.values()), 0.0) + row.softness
        for row, column in zip(rows, columns, strict=True)
    ]
    inverse = [where(x > _DEAF, 1.0 / where(x > _DEAF, x, 1.0), 0.0) for x in own]
    places = sorted({place for column in columns for place in column})
    speed: Scalar = 1e-2
    for x in v:
        speed = maximum(speed, abs(x))

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        z = dict(zip(places, values, strict=False))
        impulses, rounds = list(values[len(places) : -1]), values[-1]
        change: Scalar = 0.0
        for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
            velocity = before[i] + sum((y * z[k] for k, (_, y) in column.items()), 0.0)
            velocity = velocity + row.softness * impulses[i]
            faster = maximum(impulses[i] + (row.slowest - velocity) * inverse[i], 0.0)
            slower = minimum(impulses[i] + (row.fastest - velocity) * inverse[i], 0.0)
            new = clip(faster + slower, row.low, row.high)
            extra = new - impulses[i]
            impulses[i] = new
            change = maximum(change, abs(extra * own[i]))
            for k, (x, _) in column.items():
                z[k] = z[k] + x * extra
        return [*z.values(), *impulses, rounds + 1.0], change > tolerance * speed

    values = iterate(one_round, [0.0] * (len(places) + len(rows) + 1), limit)
    return values[len(places) : -1], values[-1]
