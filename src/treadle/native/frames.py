"""Named tuples of arrays as kernels see them: pointers, read from one table of addresses.

A kernel that takes arrays from Python unpacks each of them into seven numbers and counts references to them
wherever it looks into a tuple. One that takes the address of a table (`table`) and reads its tuples from it
(`view`) does neither, is compiled in a fraction of the time, and is called from Python in a microsecond.

The fields of such a tuple are annotated with what they are: `Reals` and `Integers` are bare pointers, arrays
with the note `Shaped` know their shape, and numbers stand in the table themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from treadle.native.c_types import CPointer, float64, int64
from treadle.native.deferred import Deferred

__all__ = [
    "IntegerList", "IntegerTable", "Integers", "RealList", "RealTable", "Reals", "Shaped", "table", "view",
]  # fmt: skip


class Shaped(NamedTuple):
    """Note on an annotation: a contiguous array of this type with so many axes."""

    dtype: Any
    axes: int = 1


#: Pointers to float64 and int64, whatever the shape of the array.
Reals = Annotated[np.ndarray, CPointer(float64)]
Integers = Annotated[np.ndarray, CPointer(int64)]

#: Arrays that know their length, and arrays of rows.
RealList = Annotated[np.ndarray, Shaped(np.float64)]
IntegerList = Annotated[np.ndarray, Shaped(np.int64)]
RealTable = Annotated[np.ndarray, Shaped(np.float64, 2)]
IntegerTable = Annotated[np.ndarray, Shaped(np.int64, 2)]


def table(values: tuple) -> np.ndarray:
    """The table of a tuple, whose arrays must not move while it is used."""
    return np.array(list(_entries(values)), dtype=np.int64)


def view(kind: type) -> Any:
    """A function of kernels that reads a tuple of this kind from a table (a pointer to int64).

    What it returns is the pointer: a field is loaded where it is used, as one that never changes.
    """

    def make() -> Any:
        from treadle.native.views import view_intrinsic

        return view_intrinsic(kind)

    return Deferred(make)


def _entries(values: tuple) -> Iterator[int]:
    for value, hint in zip(values, _hints(type(values)), strict=True):
        if isinstance(value, tuple):
            yield from _entries(value)
        elif isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise ValueError("arrays of a table must be contiguous")
            yield value.ctypes.data
            if isinstance(hint.__metadata__[0], Shaped):
                yield from value.shape
        else:
            yield int(value)


@cache
def _hints(kind: type) -> list[Any]:
    return list(get_type_hints(kind, include_extras=True).values())
