"""Bounded impulses by an active set: rows are free to meet their velocity, or fixed at a bound.

In every round the free rows are solved together, exactly; then rows that went over a bound are fixed there,
and fixed rows whose velocity asks for it are freed, until nothing changes. Rows that depend on others take
nothing; as soon as those are exhausted, they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.graph import Scalar, clip, iterate, maximum, minimum, where

__all__ = ["STILL", "active_set", "first_state", "next_state"]

#: Rounds after which the search for the set ends; few take more than three.
_LIMIT = 40

#: Rounds of polishing.
_POLISH = 1000

#: What a free row must keep of its own response beside the other free rows, not to depend on them.
DEPENDENT = 1e-10

#: Inverse effective mass (1/kg, 1/(kg m2)) below which loops hold a degree of freedom.
_DEAF = 1e-14

#: Velocities relative to the fastest that count as none.
STILL = 1e-12


def active_set(
    G: Sequence[dict[int, Scalar]], rows: Sequence[BoundedRow], v: Sequence[Scalar]
) -> list[Scalar]:
    """Impulses of the rows; G is their response matrix, v the velocity of all dofs without them.

    Softness is part of G.
    """
    rows = _decided(rows)
    count = len(rows)
    before = [row.speed(v) for row in rows]
    speed: Scalar = 1e-2
    for x in v:
        speed = maximum(speed, abs(x))
    still = STILL * speed

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        impulses, states = values[:count], values[count:]
        free = [abs(state) > 0.5 for state in states]
        fixed = [where(f, 0.0, p) for f, p in zip(free, impulses, strict=True)]
        goal = [where(s > 0.0, row.slowest, row.fastest) for s, row in zip(states, rows, strict=True)]
        missing = [
            goal[i] - before[i] - sum((g * fixed[j] for j, g in G[i].items()), 0.0) for i in range(count)
        ]
        wanted = _solve_free(G, free, missing)
        impulses = [where(f, x, p) for f, x, p in zip(free, wanted, fixed, strict=True)]
        speeds = [before[i] + sum((g * impulses[j] for j, g in G[i].items()), 0.0) for i in range(count)]
        results = [
            next_state(row, p, s, w, still)
            for row, p, s, w in zip(rows, impulses, states, speeds, strict=True)
        ]
        changed: Any = False
        for (_, new), old in zip(results, states, strict=True):
            changed = (abs(new - old) > 0.5) | changed
        return [*[p for p, _ in results], *[s for _, s in results]], changed

    start = [*[0.0] * count, *[first_state(row) for row in rows]]
    found = iterate(one_round, start, _LIMIT)[:count]
    return _polished(G, rows, before, found, still)


def _decided(rows: Sequence[BoundedRow]) -> list[BoundedRow]:
    """The rows, those with one impulse where a stop of the same dof keeps them from their velocity.

    Friction on a joint that its stop moves pushes against that with all that it has. Left to choose, the
    two would depend on each other.
    """
    stops = [row for row in rows if not _holds(row) and _unlimited(row)]
    decided = []
    for row in rows:
        if _holds(row) and not _unlimited(row) and isinstance(row.softness, float) and row.softness == 0.0:
            for stop in stops:
                if stop.jacobian == row.jacobian:
                    low = where(stop.fastest < row.slowest, row.high, row.low)
                    high = where(stop.slowest > row.slowest, row.low, row.high)
                    row = replace(row, low=low, high=high)
        decided.append(row)
    return decided


def _unlimited(row: BoundedRow) -> bool:
    bounds = row.low, row.high
    return all(isinstance(x, float) and abs(x) >= ANY for x in bounds) and row.softness == 0.0


def first_state(row: BoundedRow) -> float:
    """What holds still is held at first, what stops is not yet there."""
    return 1.0 if _holds(row) else 0.0


def _holds(row: BoundedRow) -> bool:
    """Whether a row wants one velocity, as friction does, not a range of them."""
    return row.slowest is row.fastest or row.slowest == row.fastest


def next_state(
    row: BoundedRow, impulse: Scalar, state: Scalar, speed: Scalar, still: Scalar
) -> tuple[Scalar, Scalar]:
    """Impulse and state of a row after a round: 1 free to speed up, -1 to slow down, 0 fixed."""
    if _holds(row):
        free = abs(state) > 0.5
        fast, slow = speed > row.slowest + still, speed < row.slowest - still
        # one that is free and still moves depends on a stronger one: it pulls against the motion, unless
        # nothing would withstand it
        pulled = clip(impulse, row.low, row.high)
        if not (isinstance(row.high, float) and row.high >= ANY):
            pulled = where(free & fast, row.low, where(free & slow, row.high, pulled))
        over = (impulse > row.high) | (impulse < row.low) | fast | slow
        turns = ((impulse >= row.high) & fast) | ((impulse <= row.low) & slow)
        return pulled, where(free, where(over, 0.0, 1.0), where(turns, 1.0, 0.0))
    # a stop pushes one way only
    lowest = where(state > 0.5, 0.0, row.low)
    highest = where(state < -0.5, 0.0, row.high)
    kept = clip(impulse, lowest, highest)
    released = (kept < impulse) | (kept > impulse)
    asked = where(speed < row.slowest - still, 1.0, where(speed > row.fastest + still, -1.0, 0.0))
    return kept, where(abs(state) > 0.5, where(released, 0.0, state), asked)


def _polished(
    G: Sequence[dict[int, Scalar]],
    rows: Sequence[BoundedRow],
    before: Sequence[Scalar],
    impulses: Sequence[Scalar],
    still: Scalar,
) -> list[Scalar]:
    """The impulses after each row in turn had its way, until none asks for more.

    Of stops that depend on each other the set holds the first; this finds the one that asks for most.
    """
    count = len(rows)
    inverse = [where(G[i][i] > _DEAF, 1.0 / where(G[i][i] > _DEAF, G[i][i], 1.0), 0.0) for i in range(count)]

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        p, change = list(values), 0.0
        for i, row in enumerate(rows):
            speed = before[i] + sum((g * p[j] for j, g in G[i].items()), 0.0)
            faster = maximum(p[i] + (row.slowest - speed) * inverse[i], 0.0)
            slower = minimum(p[i] + (row.fastest - speed) * inverse[i], 0.0)
            new = clip(faster + slower, row.low, row.high)
            change = maximum(change, abs((new - p[i]) * G[i][i]))
            p[i] = new
        return p, change > still

    return iterate(one_round, impulses, _POLISH)


def _solve_free(
    G: Sequence[dict[int, Scalar]], free: Sequence[Any], missing: Sequence[Scalar]
) -> list[Scalar]:
    """Impulses of the free rows that make up for what is missing; zero for the others."""
    count = len(G)
    left = [{j: value for j, value in row.items() if j <= i} for i, row in enumerate(G)]
    lower: list[dict[int, Scalar]] = [{} for _ in G]
    inverse: list[Scalar] = []
    for k in range(count):
        pivot = left[k][k]
        usable = free[k] & (pivot > DEPENDENT * G[k][k]) & (G[k][k] > _DEAF)
        inverse.append(where(usable, 1.0 / where(usable, pivot, 1.0), 0.0))
        below = [i for i in range(k + 1, count) if k in left[i]]
        for i in below:
            lower[i][k] = left[i][k] * inverse[k]
        for number, i in enumerate(below):
            for j in below[: number + 1]:
                taken = lower[i][k] * left[j][k]
                left[i][j] = left[i][j] - taken if j in left[i] else -taken
    x = list(missing)
    for i in range(count):
        for j, value in lower[i].items():
            x[i] = x[i] - value * x[j]
    x = [value * scale for value, scale in zip(x, inverse, strict=True)]
    for i in reversed(range(count)):
        for j, value in lower[i].items():
            x[j] = x[j] - value * x[i]
    # rows that are not free must not take what the back substitution gives them
    return [where(f, value, 0.0) for f, value in zip(free, x, strict=True)]
