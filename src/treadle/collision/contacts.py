"""Where the kernels write contacts: arrays of a fixed size, filled from the front.

A row of `data` is a contact point: its position on shape A (3), on shape B (3), the unit normal from A to B
(3), and the signed distance along it (negative: penetration), so that
position_B - position_A = distance normal. All in the world's axes, in metres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof

from treadle.native.signatures import INT, REAL, VECTOR, kernel

__all__ = ["CONTACTS", "Contacts", "flip", "make_contacts", "put"]


class Contacts(NamedTuple):
    """Contact points: the first `total[0]` rows; a number beyond the last row tells how many are needed."""

    #: (n, 10): position on A, position on B, normal from A to B, distance
    data: np.ndarray
    #: (n, 2): indices of the shapes A < B
    pairs: np.ndarray
    #: (n,): which corner or point of the pair it is, the same from step to step while the contact lasts
    feature: np.ndarray
    #: (1,)
    total: np.ndarray


def make_contacts(capacity: int) -> Contacts:
    """Room for so many contact points."""
    return Contacts(
        np.zeros((capacity, 10)),
        np.zeros((capacity, 2), dtype=np.int64),
        np.zeros(capacity, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


#: What the kernels know the contacts as.
CONTACTS = typeof(make_contacts(1))


@kernel((CONTACTS, INT, VECTOR, VECTOR, REAL))
def put(out, feature, on_a, n, distance):
    """Append a contact point, given on A."""
    i = out.total[0]
    out.total[0] = i + 1
    if i >= out.data.shape[0]:
        return
    for k in range(3):
        out.data[i, k] = on_a[k]
        out.data[i, 3 + k] = on_a[k] + distance * n[k]
        out.data[i, 6 + k] = n[k]
    out.data[i, 9] = distance
    out.feature[i] = feature


@kernel((CONTACTS, INT))
def flip(out, start):
    """Exchange A and B in the points from `start` on."""
    for i in range(start, min(out.total[0], out.data.shape[0])):
        row = out.data[i]
        for j in range(3):
            row[j], row[3 + j] = row[3 + j], row[j]
            row[6 + j] = -row[6 + j]
