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
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model
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
    """A function of kernels that reads a tuple of this kind from a table (a pointer to int64).

    What it returns is the pointer: a field is loaded where it is used, as one that never changes.
    """

    def read(typing_context: Any, entries: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return arguments[0]

        return _View(kind, 0)(types.CPointer(types.int64)), generate

    return intrinsic(read)


class _View(types.Type):
    """A tuple whose entries begin at a place of a table."""

    def __init__(self, kind: Any, start: int) -> None:
        self.kind = kind
        self.fields: dict[str, tuple[Any, int]] = {}
        place = start
        for name, hint in get_type_hints(kind, include_extras=True).items():
            self.fields[name] = _field(hint, place), place
            place += _size(hint)
        super().__init__(f"view({kind.__module__}.{kind.__qualname__}, {start})")


@register_model(_View)
class _ViewModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@infer_getattr
class _ViewFields(AttributeTemplate):
    key = _View

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """The type of a field."""
        return kind.fields[name][0] if name in kind.fields else None


@lower_getattr_generic(_View)
def _load_field(context: Any, builder: Any, kind: Any, entries: Any, name: str) -> Any:
    result, start = kind.fields[name]
    if isinstance(result, _View):
        return entries
    place = [start]
    number = _next(builder, entries, place)
    if isinstance(result, types.Integer):
        return number
    if isinstance(result, types.CPointer):
        return builder.inttoptr(number, context.get_value_type(result))
    return _array(
        context, builder, result, number, [_next(builder, entries, place) for _ in range(result.ndim)]
    )


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


def _field(hint: Any, start: int) -> Any:
    """What a field is to Numba."""
    if hint is int:
        return types.int64
    if not hasattr(hint, "__metadata__"):
        return _View(hint, start)
    what = hint.__metadata__[0]
    if isinstance(what, Shaped):
        return types.Array(numpy_support.from_dtype(np.dtype(what.dtype)), what.axes, "C")
    return what


def _size(hint: Any) -> int:
    """How many entries a field has in a table."""
    if hint is int:
        return 1
    if not hasattr(hint, "__metadata__"):
        return sum(_size(each) for each in get_type_hints(hint, include_extras=True).values())
    what = hint.__metadata__[0]
    return 1 + what.axes if isinstance(what, Shaped) else 1


def _array(context: Any, builder: Any, result: Any, address: Any, shape: list[Any]) -> Any:
    size = context.get_abi_sizeof(context.get_data_type(result.dtype))
    strides = [ir.Constant(ir.IntType(64), size)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    array = arrayobj.make_array(result)(context, builder)
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=ir.Constant(ir.IntType(64), size),
        meminfo=None,
    )
    return array._getvalue()


def _next(builder: Any, entries: Any, place: list[int]) -> Any:
    """Load an entry of a table; tables do not change while kernels run."""
    place[0] += 1
    loaded = builder.load(cgutils.gep_inbounds(builder, entries, place[0] - 1))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
