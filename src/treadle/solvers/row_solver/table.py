"""The table of constraint rows: where they act, what velocity they want, and what impulses they may have.

| row | slowest, fastest | low, high | kind, normal, share |
|---|---|---|---|
| loop, coupling, weld | target, target | -inf, inf | SINGLE |
| motor | target, target | -strength, strength | SINGLE |
| joint limit, rope | slowest, fastest | -inf, inf (one-sided: 0, inf) | SINGLE |
| dry friction of a joint | 0, 0 | -friction dt, friction dt | SINGLE |
| contact | target, inf | 0, inf | SINGLE |
| friction of a contact, two rows | 0, 0 | | PAIR and SECOND, row of the contact, mu each |
| rolling or spinning friction | 0, 0 | | SINGLE, row of the contact, coefficient (m) |

Velocities are of the row's unit (m/s, rad/s), impulses N s or N m s. A compliant row has a regularization,
`softness`, and a target that carry its law over the substep: its velocity plus softness times impulse is what
has to meet the target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.frames import Integers, Reals

__all__ = ["PAIR", "SECOND", "SINGLE", "RowTable", "empty_table"]

#: Kinds of rows: alone, or the first and the second of two whose impulses are bounded together by a cone.
SINGLE, PAIR, SECOND = 0, 1, 2


class RowTable(NamedTuple):
    """Room for a number of rows; how many are in use is counted by the caller.

    Row i has the entries `first[i]` to `first[i + 1]` of y = D^-1/2 L^-T J^T (M = L^T D L), those of loops
    that are held exactly from `loops[i]` on. The Delassus matrix is A = Y S Y^T, where S is 1 at the degrees
    of freedom and -1 at the rows of held loops; z = S Y^T p.
    """

    first: Integers  # (rows + 1)
    loops: Integers  # (rows)
    place: Integers  # (entries) degree of freedom, or nv + number of a held loop row
    y: Reals  # (entries)
    kind: Integers  # (rows) SINGLE, PAIR or SECOND
    normal: Integers  # (rows) the row whose impulse bounds this one, -1: none
    share: Reals  # (rows) bound of the impulse relative to that of the normal: mu
    velocity: Reals  # (rows) J v without any impulse
    slowest: Reals  # (rows) target velocity of a positive impulse
    fastest: Reals  # (rows) target velocity of a negative impulse
    low: Reals  # (rows)
    high: Reals  # (rows)
    softness: Reals  # (rows) regularization: velocity by which it yields to a unit of its impulse
    error: Reals  # (rows) m/s, to which its target is known
    impulse: Reals  # (rows) in: warm start, out: result
    residual: Reals  # (rows) out: natural residual (m/s)
    places: Integers  # (1) how many places there are


_WHOLE = {"first", "loops", "place", "kind", "normal", "places"}


def empty_table(count: int, entries: int, places: int) -> RowTable:
    """Room for `count` rows with `entries` entries in all; every row single and without bounds."""
    sizes = {"first": count + 1, "place": entries, "y": entries, "places": 1}
    table = RowTable(
        **{
            name: np.zeros(sizes.get(name, count), np.int64 if name in _WHOLE else np.float64)
            for name in RowTable._fields
        }
    )
    table.normal[:], table.places[0] = -1, places
    table.slowest[:], table.fastest[:] = -np.inf, np.inf
    table.low[:], table.high[:] = -np.inf, np.inf
    return table
