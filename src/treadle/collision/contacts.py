"""Output arrays of the collision kernels, of a fixed size and filled from the front.

A row of `data` is a contact point: its position on shape A (3), on shape B (3), the unit normal from A to B
(3), and the signed distance along it (negative: penetration), so that
position_B - position_A = distance normal. All in the world's axes, in metres.

The kernels get the contacts as one array of integers, `desk`: count, capacity, addresses of the arrays, and
addresses of the kernels that they may call (see `narrowphase`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.collision.kinds import COUNT
from treadle.native.calling import integers, reals
from treadle.native.formulas import formula
from treadle.native.pieces import helper

__all__ = [
    "DATA", "DEPTH", "FEATURES", "GJK", "LEAST", "MANIFOLD", "MANY", "OVERLAP", "PAIRS", "PROVE", "REFINE",
    "ROOM", "ROUND", "TABLE", "TOTAL",
    "Contacts", "flip", "make_contacts", "put",
]  # fmt: skip

#: Places on the desk: counts, addresses of arrays, addresses of kernels, and those of all pairs of kinds.
TOTAL, ROOM, LEAST, DATA, PAIRS, FEATURES = range(6)
MANIFOLD, GJK, ROUND, REFINE, DEPTH, PROVE, MANY, OVERLAP, TABLE = range(6, 15)


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
    #: the integers handed to the kernels
    desk: np.ndarray


def make_contacts(capacity: int, least: bool = False) -> Contacts:
    """Room for so many contact points, or for the one with the least distance alone."""
    data, pairs = np.zeros((capacity, 10)), np.zeros((capacity, 2), dtype=np.int64)
    feature = np.zeros(capacity, dtype=np.int64)
    desk = np.zeros(TABLE + COUNT * COUNT, dtype=np.int64)
    desk[: FEATURES + 1] = (
        0, capacity, least, data.ctypes.data, pairs.ctypes.data, feature.ctypes.data,
    )  # fmt: skip
    return Contacts(data, pairs, feature, desk[:1], desk)


@helper
def put(desk, feature, on_a, n, distance):
    """Append a contact point, given on A."""
    i = desk[TOTAL]
    data = reals(desk[DATA])
    if desk[LEAST] != 0:
        if i > 0 and data[9] <= distance:
            return
        i = 0
    desk[TOTAL] = i + 1
    if i < desk[ROOM]:
        _write(data, 10 * i, on_a, n, distance)
        integers(desk[FEATURES])[i] = feature


@formula
def _write(data, i, on_a, n, distance):
    for k in range(3):
        data[i + k] = on_a[k]
        data[i + 3 + k] = on_a[k] + distance * n[k]
        data[i + 6 + k] = n[k]
    data[i + 9] = distance


@helper
def flip(desk, start):
    """Exchange A and B in the points from `start` on."""
    data = reals(desk[DATA])
    for i in range(start, min(desk[TOTAL], desk[ROOM])):
        _exchange(data, 10 * i)


@formula
def _exchange(data, i):
    for k in range(3):
        data[i + k], data[i + 3 + k] = data[i + 3 + k], data[i + k]
        data[i + 6 + k] = -data[i + 6 + k]
