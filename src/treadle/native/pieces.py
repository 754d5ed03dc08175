"""What entries of collision detection are made of: helpers, calls by address, and room on the stack.

Numba optimizes a kernel together with all that it calls, so that code which is called from ten places is
compiled ten times. A piece is an entry (see `entries`) that other kernels call by its address, which they
take from memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.native.c_types import CPointer, Signature, float64, int64
from treadle.native.calling import deferred_intrinsic
from treadle.native.deferred import Deferred
from treadle.native.entries import Entry, entry

__all__ = ["REALS", "WHOLES", "address", "at", "call_of", "helper", "piece", "room", "wholes_at"]

#: Pointers to float64 and to int64.
REALS, WHOLES = CPointer(float64), CPointer(int64)


def piece(signature: Signature, *needs: int) -> Callable[[Callable[..., Any]], Entry]:
    """Make a function an entry; `needs` are the places in a table of addresses that it calls."""
    return entry(signature, needs=needs)


def helper(function: Callable[..., Any]) -> Any:
    """Make a function part of the pieces that call it."""

    def make() -> Any:
        from treadle.native.dispatchers import helper_dispatcher

        return helper_dispatcher(function)

    return Deferred(make, function)


def call_of(signature: Signature) -> Any:
    """A function of an address and the arguments of a piece with this signature, for kernels."""

    def make() -> Any:
        from treadle.native.intrinsics import call_by_address

        return call_by_address(signature)

    return Deferred(make)


#: room(n): n float64 that a kernel has until it returns, n a constant.
room: Any = deferred_intrinsic("room")

#: at(row, n): the float64 from place n of a row on.
at: Any = deferred_intrinsic("at")

#: wholes_at(row, n): the same for int64.
wholes_at: Any = deferred_intrinsic("wholes_at")

#: address(row): where it is.
address: Any = deferred_intrinsic("address")
