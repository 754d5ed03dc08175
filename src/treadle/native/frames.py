"""Named tuples of arrays as kernels see them: pointers, read from one table of addresses.

A kernel that takes arrays from Python unpacks each of them into seven numbers and counts references to them
wherever it looks into a tuple. One that takes the address of a table (`table`) and reads its tuples from it
(`view`) does neither, is compiled in a fraction of the time, and is called from Python in a microsecond.

The fields of such a tuple are annotated with what they are: `Reals` and `Integers` are bare pointers, arrays
with the note `Shaped` know their shape, and numbers stand in the table themselves. Importing this module
imports Numba.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj, numpy_support

__all__ = [
    "IntegerList", "IntegerTable", "Integers", "RealList", "RealTable", "Reals", "Shaped", "table", "view",
]  # fmt: skip


class Shaped(NamedTuple):
    """Note on an annotation: a contiguous array of this type with so many axes."""

    dtype: Any
    axes: int = 1


#: Pointers to float64 and int64, whatever the shape of the array.
Reals = Annotated[np.ndarray, types.CPointer(types.float64)]
Integers = Annotated[np.ndarray, types.CPointer(types.int64)]

#: Arrays that know their length, and arrays of rows.
RealList = Annotated[np.ndarray, Shaped(np.float64)]
IntegerList = Annotated[np.ndarray, Shaped(np.int64)]
RealTable = Annotated[np.ndarray, Shaped(np.float64, 2)]
IntegerTable = Annotated[np.ndarray, Shaped(np.int64, 2)]


def table(values: tuple) -> np.ndarray:
    """The table of a tuple, whose arrays must not move while it is used."""
    return np.array(list(_entries(values)), dtype=np.int64)


def view(kind: type) -> Any:
    """A function of kernels that reads a tuple of this kind from a table (a pointer to int64)."""

    def read(typing_context: Any, entries: Any) -> Any:
        result = _type(kind)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _read(context, builder, result, kind, arguments[0], [0])

        return result(types.CPointer(types.int64)), generate

    return intrinsic(read)


def _entries(values: tuple) -> Iterator[int]:
    hints = get_type_hints(type(values), include_extras=True)
    for value, hint in zip(values, hints.values(), strict=True):
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


def _type(kind: Any) -> Any:
    """What a field is to Numba."""
    if kind is int:
        return types.int64
    if not hasattr(kind, "__metadata__"):
        hints = get_type_hints(kind, include_extras=True)
        return types.NamedTuple([_type(hint) for hint in hints.values()], kind)
    what = kind.__metadata__[0]
    if isinstance(what, Shaped):
        return types.Array(numpy_support.from_dtype(np.dtype(what.dtype)), what.axes, "C")
    return what


def _read(context: Any, builder: Any, result: Any, kind: Any, entries: Any, place: list[int]) -> Any:
    """The value of a field whose entries begin at `place`, which moves behind them."""
    if not hasattr(kind, "__metadata__") and kind is not int:
        hints = get_type_hints(kind, include_extras=True).values()
        fields = [
            _read(context, builder, each, hint, entries, place)
            for each, hint in zip(result.types, hints, strict=True)
        ]
        return context.make_tuple(builder, result, fields)
    number = _next(builder, entries, place)
    if kind is int:
        return number
    if isinstance(result, types.CPointer):
        return builder.inttoptr(number, context.get_value_type(result))
    shape = [_next(builder, entries, place) for _ in range(result.ndim)]
    size = context.get_abi_sizeof(context.get_data_type(result.dtype))
    strides = [ir.Constant(ir.IntType(64), size)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    array = arrayobj.make_array(result)(context, builder)
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(number, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=ir.Constant(ir.IntType(64), size),
        meminfo=None,
    )
    return array._getvalue()


def _next(builder: Any, entries: Any, place: list[int]) -> Any:
    place[0] += 1
    return builder.load(cgutils.gep_inbounds(builder, entries, place[0] - 1))
