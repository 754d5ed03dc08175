"""The kernels that Python calls, in one place: importing it imports Numba, so it is imported on first use."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from treadle.collision.collide import (
    FIRST,
    NOT_FINITE,
    TOO_MANY_CONTACTS,
    TOO_MANY_PAIRS,
    collide,
    least_distance,
    touch,
)
from treadle.collision.contacts import MANY, OVERLAP, Contacts, make_contacts
from treadle.collision.continuous import time_of_impact
from treadle.collision.narrowphase import fill
from treadle.collision.rays import cast_many
from treadle.native.pieces import Piece

__all__ = [
    "FIRST", "MANY", "NOT_FINITE", "OVERLAP", "TOO_MANY_CONTACTS", "TOO_MANY_PAIRS", "Contacts", "cast_many",
    "collide", "fill", "least_distance", "make_contacts", "run", "time_of_impact", "touch",
]  # fmt: skip


def run(piece: Piece, *arguments: Any) -> Any:
    """Call a kernel from Python: arrays, which must be contiguous, are passed by their addresses."""
    given = [x.ctypes.data if isinstance(x, np.ndarray) else x for x in arguments]
    return _callable(piece)(*given)


@cache
def _callable(piece: Piece) -> Any:
    kinds = {"float64": ctypes.c_double, "int64": ctypes.c_int64, "none": None}
    taken = [kinds.get(str(kind), ctypes.c_void_p) for kind in piece.signature.args]
    return ctypes.CFUNCTYPE(kinds[str(piece.signature.return_type)], *taken)(piece.address)
