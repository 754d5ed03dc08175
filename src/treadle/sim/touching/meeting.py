"""The distance of two shapes where they are, behind an address (see `collision.entry`)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import carray, types  # pyright: ignore[reportPrivateImportUsage]

from treadle.collision.bounds import compose_one
from treadle.collision.contacts import Contacts, make_contacts
from treadle.collision.narrowphase import touch
from treadle.collision.shapes import Shapes
from treadle.native.calling import integers, reals
from treadle.native.kernels import cfunc

__all__ = ["FIRST", "DistanceMemory"]

#: Where in the frame the two shapes stand.
FIRST = 3

#: Room for the contact points of one pair.
_ROOM = 64


class DistanceMemory:
    """Frame and result of the distance of shapes on bodies (bodies + 1, 12) that move."""

    def __init__(self, shapes: Shapes, bodies: np.ndarray) -> None:
        #: the least distance (m), and the normal there from the first shape to the second
        self.result = np.zeros(4)
        X = np.zeros((len(shapes.kind), 12))
        arrays = (*shapes, bodies, X, *make_contacts(_ROOM), self.result)
        sizes = len(shapes.kind), len(shapes.heights), len(bodies)
        self.frame = np.array([*sizes, 0, 0, *(array.ctypes.data for array in arrays)], dtype=np.int64)
        self._kept = arrays
        self.entry: int = _entry().address


@cache
def _entry() -> Any:
    return cfunc(types.void(types.CPointer(types.int64)), cache=True)(_distance)


def _distance(pointer: Any) -> None:
    f = carray(pointer, 21)
    n, heights, a, b = f[0], f[1], f[3], f[4]
    shapes = Shapes(
        carray(integers(f[5]), (n,)), carray(reals(f[6]), (n, 3)), carray(reals(f[7]), (n, 12)),
        carray(integers(f[8]), (n,)), carray(integers(f[9]), (n,)), carray(integers(f[10]), (n,)),
        carray(reals(f[11]), (n,)), carray(integers(f[12]), (n, 3)), carray(reals(f[13]), (heights,)),
    )  # fmt: skip
    bodies, X = carray(reals(f[14]), (f[2], 12)), carray(reals(f[15]), (n, 12))
    contacts = Contacts(
        carray(reals(f[16]), (_ROOM, 10)), carray(integers(f[17]), (_ROOM, 2)),
        carray(integers(f[18]), (_ROOM,)), carray(integers(f[19]), (1,)),
    )  # fmt: skip
    compose_one(shapes, bodies, a, X)
    compose_one(shapes, bodies, b, X)
    contacts.total[0] = 0
    touch(shapes, X, a, b, 1e300, contacts)
    result = carray(reals(f[20]), (4,))
    result[0] = 1e300
    for c in range(min(contacts.total[0], _ROOM)):
        if contacts.data[c, 9] < result[0]:
            result[0] = contacts.data[c, 9]
            result[1], result[2], result[3] = contacts.data[c, 6], contacts.data[c, 7], contacts.data[c, 8]
