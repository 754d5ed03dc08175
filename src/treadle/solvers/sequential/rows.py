"""Constraint rows in arrays: where they act, what velocity they want, and what impulses they may spend.

| row | slowest, fastest | low, high | kind, normal, share |
|---|---|---|---|
| loop, coupling, weld | goal, goal | -inf, inf | SINGLE |
| motor | goal, goal | -strength, strength | SINGLE |
| stop, rope | slowest, fastest | -inf, inf (one-sided: 0, inf) | SINGLE |
| dry friction of a joint | 0, 0 | -friction dt, friction dt | SINGLE |
| contact | goal, inf | 0, inf | SINGLE |
| friction of a contact, two rows | 0, 0 | | PAIR and SECOND, row of the contact, mu each |
| resistance to rolling or spinning | 0, 0 | | SINGLE, row of the contact, coefficient (m) |

Velocities are of the row's unit (m/s, rad/s), impulses N s or N m s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["CONJUGATE", "IN_TURN", "PAIR", "SECOND", "SINGLE", "TOGETHER", "Rows", "empty_rows"]

#: Kinds of rows: alone, or the first and the second of two whose impulses are bounded together by a cone.
SINGLE, PAIR, SECOND = 0, 1, 2

#: Ways to go on after a sweep: with the next one; along what the sweeps before it did; or with a solve of all
#: rows that are at none of their bounds, as long as there are not too many.
IN_TURN, CONJUGATE, TOGETHER = 0, 1, 2


class Rows(NamedTuple):
    """Room for a number of rows; which are in use the caller counts.

    Row i has the entries `first[i]` to `first[i + 1]`, those of held loops from `loops[i]` on.
    """

    first: np.ndarray  # (rows + 1)
    loops: np.ndarray  # (rows)
    place: np.ndarray  # (entries) freedom, or nv + number of a held loop row
    y: np.ndarray  # (entries)
    kind: np.ndarray  # (rows) SINGLE, PAIR or SECOND
    normal: np.ndarray  # (rows) the row whose impulse bounds this one, -1: none
    share: np.ndarray  # (rows) bound of the impulse relative to that of the normal: mu
    velocity: np.ndarray  # (rows) J v without any impulse
    slowest: np.ndarray  # (rows)
    fastest: np.ndarray  # (rows)
    low: np.ndarray  # (rows)
    high: np.ndarray  # (rows)
    softness: np.ndarray  # (rows) velocity by which it yields to a unit of its impulse
    closes: np.ndarray  # (rows) whether split impulses act on its position
    closing: np.ndarray  # (rows) pseudo-velocity wanted of it; at least that where its impulse is one-sided
    impulse: np.ndarray  # (rows) in: warm start, out: result
    pseudo: np.ndarray  # (rows) split impulses
    own: np.ndarray  # (rows) response to its own impulse, from `prepare`, as are the next two
    mass: np.ndarray  # (rows) effective mass 1 / (own + softness); 0 where nothing answers
    cross: np.ndarray  # (rows) of a PAIR: response to that of the SECOND
    before: np.ndarray  # (rows) scratch of conjugate sweeps and joint solves, as the others below
    along: np.ndarray  # (rows)
    z_before: np.ndarray  # (places)
    z_along: np.ndarray  # (places)
    free: np.ndarray  # (rows) numbers of the rows that are solved together
    matrix: np.ndarray  # (together, together) their responses, factored


_TYPES: dict[str, type] = {
    "first": np.int64, "loops": np.int64, "place": np.int32, "kind": np.int8, "normal": np.int32,
    "closes": np.bool_, "free": np.int64,
}  # fmt: skip


def empty_rows(count: int, entries: int, places: int = 0, together: int = 0) -> Rows:
    """Room for `count` rows with `entries` entries in all; every row single and without bounds.

    Other ways than IN_TURN need to know the number of `places`, freedoms and held loop rows, and how many
    rows at most are solved `together`.
    """
    sizes = {"first": count + 1, "place": entries, "y": entries, "z_before": places, "z_along": places}
    arrays = {name: np.zeros(sizes.get(name, count), _TYPES.get(name, np.float64)) for name in Rows._fields}
    rows = Rows(**arrays | {"matrix": np.zeros((together, together))})
    rows.normal[:] = -1
    rows.slowest[:], rows.fastest[:] = -np.inf, np.inf
    rows.low[:], rows.high[:] = -np.inf, np.inf
    return rows
