"""The kernels that Python calls, in one place, imported on first use."""

from __future__ import annotations

from typing import Any

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
from treadle.native.entries import Entry

__all__ = [
    "FIRST", "MANY", "NOT_FINITE", "OVERLAP", "TOO_MANY_CONTACTS", "TOO_MANY_PAIRS", "Contacts", "cast_many",
    "collide", "fill", "least_distance", "make_contacts", "run", "time_of_impact", "touch",
]  # fmt: skip


def run(piece: Entry, *arguments: Any) -> Any:
    """Call a kernel from Python: arrays, which must be contiguous, are passed by their addresses."""
    return piece(*arguments)
