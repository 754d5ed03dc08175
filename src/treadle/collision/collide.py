"""All contact points of a scene, in one compiled call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.collision.bounds import compose, enclose
from treadle.collision.broadphase import find_pairs
from treadle.collision.kinds import MESH
from treadle.collision.narrowphase import touch
from treadle.collision.shapes import Shapes
from treadle.native.signatures import kernel

__all__ = ["NOT_FINITE", "TOO_MANY_CONTACTS", "TOO_MANY_PAIRS", "Workspace", "collide", "make_workspace"]

#: What `collide` returns if it could not finish.
TOO_MANY_PAIRS, TOO_MANY_CONTACTS, NOT_FINITE = -1, -2, -3


class Workspace(NamedTuple):
    """Scratch of `collide`, for n shapes."""

    #: (n, 12) poses of the shapes in the world
    X: np.ndarray
    #: (n, 3) lowest and highest coordinates of their boxes
    low: np.ndarray
    high: np.ndarray
    #: (p, 2) pairs that may touch
    pairs: np.ndarray
    #: (2,) how many pairs there are, and how many of them, at the front of `pairs`, wait for meshes
    counts: np.ndarray
    #: (1,) comparisons of boxes
    tests: np.ndarray


def make_workspace(shapes: Shapes, pairs: int) -> Workspace:
    """Scratch for these shapes and for so many pairs whose boxes overlap."""
    n = len(shapes.kind)
    return Workspace(
        np.zeros((n, 12)),
        np.zeros((n, 3)),
        np.zeros((n, 3)),
        np.zeros((pairs, 2), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@kernel()
def collide(shapes, forbidden, links, bodies, margin, work, contacts):
    """Find the contact points of all shapes within the margin (m); returns their number.

    `bodies` (bodies + 1, 12) are the poses X_WB, the world's in row 0; `forbidden` and `links` are those of
    `rules`. A negative number is one of TOO_MANY_PAIRS, TOO_MANY_CONTACTS (make room: `contacts.total` tells
    how much) and NOT_FINITE. Pairs with meshes are left to the caller: the first `work.counts[1]` of
    `work.pairs`.
    """
    contacts.total[0] = 0
    work.counts[1] = 0
    work.tests[0] = 0
    compose(shapes, bodies, work.X)
    if not enclose(shapes, work.X, margin, work.low, work.high):
        return NOT_FINITE
    count = find_pairs(shapes, work.X, margin, work.low, work.high, forbidden, links, work.pairs, work.tests)
    work.counts[0] = count
    if count > len(work.pairs):
        return TOO_MANY_PAIRS
    for i in range(count):
        a, b = work.pairs[i, 0], work.pairs[i, 1]
        if shapes.kind[a] == MESH or shapes.kind[b] == MESH:
            k = work.counts[1]
            work.pairs[k, 0], work.pairs[k, 1] = a, b
            work.counts[1] = k + 1
        else:
            touch(shapes, work.X, a, b, margin, contacts)
    return contacts.total[0] if contacts.total[0] <= len(contacts.data) else TOO_MANY_CONTACTS
