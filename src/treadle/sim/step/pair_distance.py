"""The distance of two shapes where they are, behind an address (see `collision.collide`)."""

from __future__ import annotations

import numpy as np

from treadle.collision.collider import Collider
from treadle.collision.contacts import make_contacts
from treadle.collision.kernels import FIRST, least_distance

__all__ = ["FIRST", "DistanceMemory"]


class DistanceMemory:
    """Frame and result of the distance of two shapes of a collider on its bodies."""

    def __init__(self, collider: Collider) -> None:
        #: the least distance (m), the normal there from the first shape to the second, and how far it is
        #: looked for (m)
        self.result = np.array([0.0, 0.0, 0.0, 0.0, 1e300])
        #: rows of the shapes, a copy of the collider's
        self.rows = collider.work.X.copy()
        shapes, least = collider.shapes, collider.kernels_for(make_contacts(1, least=True))
        arrays = (
            collider.bodies, shapes.placement, shapes.body, self.rows, least.desk, self.result,
        )  # fmt: skip
        self.frame = np.array([0, 0, *(array.ctypes.data for array in arrays)], dtype=np.int64)
        self._kept = arrays, least
        self.entry: int = least_distance.address
