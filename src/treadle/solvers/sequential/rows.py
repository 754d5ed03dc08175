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

from treadle.native.frames import Integers, Reals, RealTable

__all__ = [
    "AT_ONCE", "CONJUGATE", "IN_TURN", "MOST_TOGETHER", "PAIR", "SECOND", "SINGLE", "TOGETHER", "Rows",
    "empty_rows",
]  # fmt: skip

#: Kinds of rows: alone, or the first and the second of two whose impulses are bounded together by a cone.
SINGLE, PAIR, SECOND = 0, 1, 2

#: Ways to go on after a sweep: with the next one; along what the sweeps before it did; or with a solve of all
#: rows that are at none of their bounds, as long as there are not too many, also before the first sweep.
IN_TURN, CONJUGATE, TOGETHER, AT_ONCE = 0, 1, 2, 3

#: Unclamped rows up to which they are solved together.
MOST_TOGETHER = 128


class Rows(NamedTuple):
    """Room for a number of rows; which are in use the caller counts.

    Row i has the entries `first[i]` to `first[i + 1]`, those of held loops from `loops[i]` on.
    """

    first: Integers  # (rows + 1)
    loops: Integers  # (rows)
    place: Integers  # (entries) freedom, or nv + number of a held loop row
    y: Reals  # (entries)
    kind: Integers  # (rows) SINGLE, PAIR or SECOND
    normal: Integers  # (rows) the row whose impulse bounds this one, -1: none
    share: Reals  # (rows) bound of the impulse relative to that of the normal: mu
    velocity: Reals  # (rows) J v without any impulse
    slowest: Reals  # (rows)
    fastest: Reals  # (rows)
    low: Reals  # (rows)
    high: Reals  # (rows)
    softness: Reals  # (rows) velocity by which it yields to a unit of its impulse
    error: Reals  # (rows) m/s, to which its target is known
    closes: Integers  # (rows) 1: split impulses act on its position
    closing: Reals  # (rows) pseudo-velocity wanted of it; at least that where its impulse is one-sided
    impulse: Reals  # (rows) in: warm start, out: result
    pseudo: Reals  # (rows) split impulses
    own: Reals  # (rows) response to its own impulse, from `prepare`, as are the next two
    mass: Reals  # (rows) effective mass 1 / (own + softness); 0 where nothing answers
    cross: Reals  # (rows) of a PAIR: response to that of the SECOND
    before: Reals  # (rows) scratch of conjugate sweeps and joint solves, as the others below
    along: Reals  # (rows)
    z_before: Reals  # (places)
    kept: Reals  # (rows) the best so far
    z_kept: Reals  # (places) also what free rows are asked to answer
    z_along: Reals  # (places)
    free: Integers  # (rows) numbers of the rows that are solved together
    slides: Integers  # (rows) 1: a PAIR that slides, or resistance to rolling at its bound, is among them
    lean: Reals  # (rows) of its rows: impulse per impulse of the normal
    across: Reals  # (rows) of both: impulse per impulse across it, along which its direction turns
    cone_softness: Reals  # (rows) of its first: slip per impulse across it
    # (3) how many, -1: `matrix` is not theirs; their places, where it is over these; 1: it may be
    held: Integers
    matrix: RealTable  # (together, together) their responses, or what those are over places, factored
    block: Integers  # (rows) of those solved over places: 3, the first of a contact, or 1
    gain: Reals  # (3 rows) impulses per velocity missed, as many for each as its block has rows
    at: Integers  # (places) numbers among those of the free rows
    z_third: Reals  # (places)
    places: Integers  # (1) how many places there are


_WHOLE = {"first", "loops", "place", "kind", "normal", "closes", "free", "slides", "block", "at"}


_OF_PLACES = "z_before", "z_along", "z_kept", "z_third", "at"


def empty_rows(count: int, entries: int, places: int, together: int = 0) -> Rows:
    """Room for `count` rows with `entries` entries in all; every row single and without bounds.

    `places` are freedoms and held loop rows; at most so many rows are solved `together`.
    """
    sizes = {"first": count + 1, "place": entries, "y": entries, "gain": 3 * count}
    sizes |= dict.fromkeys(_OF_PLACES, places)
    arrays = {
        name: np.zeros(sizes.get(name, count), np.int64 if name in _WHOLE else np.float64)
        for name in Rows._fields
    }
    rows = Rows(
        **arrays
        | {
            "matrix": np.zeros((together, together)),
            "places": np.array([places]),
            "held": np.array([-1, 0, 1]),
        }
    )
    rows.normal[:] = -1
    rows.slowest[:], rows.fastest[:] = -np.inf, np.inf
    rows.low[:], rows.high[:] = -np.inf, np.inf
    return rows
