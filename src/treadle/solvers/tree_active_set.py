"""An active set along the tree: bounded impulses of rows that each act on one dof, however many.

The velocity of a dof that is held is known; with its row and column taken out, the inertia matrix keeps
the zeros of the tree, so that a round costs one sparse factor, not a dense one of all rows:

    M_ff dv_f = p_f - M_fh dv_h,    p_h = M_hf dv_f + M_hh dv_h

Rounds are those of `active_set`, until they do not lead to fewer rows that have to change: then only the last
of these changes (block principal pivoting, Judice and Pires 1994). Of several rows that are free on one
degree of freedom the strongest holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.dynamics.cholesky import factor, solve
from treadle.graph import Scalar, iterate, maximum, where
from treadle.solvers.active_set import STILL, first_state, next_state

__all__ = ["on_single_freedoms", "tree_active_set"]

#: Rounds after which the search for the set ends.
_LIMIT = 100

#: Rounds in which all rows change at once, though not fewer of them than before.
_TRIES = 5.0


def on_single_freedoms(rows: Sequence[BoundedRow]) -> bool:
    """Whether each row is the velocity of one degree of freedom, and none yields."""
    return all(
        list(row.jacobian.values()) == [1.0] and isinstance(row.softness, float) and row.softness == 0.0
        for row in rows
    )


def tree_active_set(
    M: Sequence[Sequence[Scalar]], parents: Sequence[int], rows: Sequence[BoundedRow], v: Sequence[Scalar]
) -> tuple[list[Scalar], dict[int, tuple[Any, Scalar]], Any]:
    """Impulses of the rows; of dofs whether they are held, and at which velocity; whether it ended.

    M is the inertia matrix of the tree, v the velocity of all degrees of freedom without the rows.
    """
    count, size = len(rows), len(v)
    place = [k for row in rows for k in row.jacobian]
    # stops before friction and motors that have an end
    on = {
        k: sorted((i for i in range(count) if place[i] == k), key=lambda i: not _strong(rows[i]))
        for k in place
    }
    speed: Scalar = 1e-2
    for x in v:
        speed = maximum(speed, abs(x))
    still = STILL * speed

    def one_round(values: list[Scalar]) -> tuple[list[Scalar], object]:
        impulses, states = values[:count], values[count : 2 * count]
        fewest, tries = values[2 * count :]
        free = [abs(state) > 0.5 for state in states]
        push: list[Scalar] = [0.0] * size
        for k, numbers in on.items():
            push[k] = sum((where(free[i], 0.0, impulses[i]) for i in numbers), 0.0)
        jumps = {k: (held, goal - v[k]) for k, (held, goal) in _held(on, rows, states).items()}
        change = _moved(M, parents, jumps, push)
        new: list[Scalar] = [0.0] * count
        for k, numbers in on.items():
            needed = sum((x * change[j] for j, x in enumerate(M[k])), 0.0) - push[k]
            for i in numbers:
                new[i] = where(free[i], needed, impulses[i])
                # those that follow depend on this one
                needed = where(free[i], 0.0, needed)
        results = [
            next_state(row, p, s, v[k] + change[k], still)
            for row, p, s, k in zip(rows, new, states, place, strict=True)
        ]
        wrong = [
            where(abs(state - old) > 0.5, 1.0, 0.0) for (_, state), old in zip(results, states, strict=True)
        ]
        many = sum(wrong, 0.0)
        tries = where(many < fewest, _TRIES, tries - 1.0)
        later: Scalar = 0.0
        for i in reversed(range(count)):
            kept = (tries < 0.0) & (later > 0.5)
            later = later + wrong[i]
            results[i] = where(kept, impulses[i], results[i][0]), where(kept, states[i], results[i][1])
        after = [*[p for p, _ in results], *[s for _, s in results]]
        return [*after, where(many < fewest, many, fewest), tries], many > 0.0

    start = [*[0.0] * count, *[first_state(row) for row in rows], float(count + 1), _TRIES]
    values = iterate(one_round, start, _LIMIT)
    settled = values[2 * count] < 0.5
    found = _held(on, rows, values[count : 2 * count])
    return values[:count], {k: (settled & held, goal) for k, (held, goal) in found.items()}, settled


def _strong(row: BoundedRow) -> bool:
    return isinstance(row.high, float) and row.high >= ANY


def _held(
    on: dict[int, list[int]], rows: Sequence[BoundedRow], states: Sequence[Scalar]
) -> dict[int, tuple[Any, Scalar]]:
    """Of every dof whether a row that is free holds it, and the velocity that the first of them wants."""
    held: dict[int, tuple[Any, Scalar]] = {}
    for k, numbers in on.items():
        holds: Any = False
        goal: Scalar = 0.0
        for i in reversed(numbers):
            free = abs(states[i]) > 0.5
            goal = where(free, where(states[i] > 0.0, rows[i].slowest, rows[i].fastest), goal)
            holds = free | holds
        held[k] = holds, goal
    return held


def _moved(
    M: Sequence[Sequence[Scalar]],
    parents: Sequence[int],
    jumps: dict[int, tuple[Any, Scalar]],
    push: Sequence[Scalar],
) -> list[Scalar]:
    """The change of all velocities if those that are held jump, under the impulses on the others."""
    size = len(M)
    held = {k: holds for k, (holds, _) in jumps.items()}
    no: Any = False
    matrix = [
        [
            where(held.get(i, no), 1.0, M[i][i])
            if i == j
            else M[i][j]
            if _zero(M[i][j])
            else where(held.get(i, no) | held.get(j, no), 0.0, M[i][j])
            for j in range(size)
        ]
        for i in range(size)
    ]
    given = {k: where(holds, jump, 0.0) for k, (holds, jump) in jumps.items()}
    right: list[Scalar] = []
    for i in range(size):
        rest = push[i] - sum((M[i][k] * x for k, x in given.items() if not _zero(M[i][k])), 0.0)
        right.append(where(held[i], given[i], rest) if i in held else rest)
    return solve(*factor(matrix, parents), right)


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
