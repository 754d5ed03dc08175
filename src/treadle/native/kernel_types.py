"""Numba types as JSON, for signatures of kernels on disk.

Only the types that kernels are called with have a form; anything else raises `Unwritable`, and a kernel that
needs it is compiled again in every process. Importing this module imports Numba.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numba import types
from numba.np import numpy_support

__all__ = ["Unwritable", "read_type", "written_type"]

#: Types without parameters, by their names.
_PLAIN = {
    str(kind): kind
    for kind in (
        types.none, types.boolean, types.int8, types.int16, types.int32, types.int64,
        types.uint8, types.uint16, types.uint32, types.uint64, types.float32, types.float64,
    )
}  # fmt: skip


class Unwritable(ValueError):
    """A type that has no form on disk."""


def written_type(kind: Any) -> Any:
    """A type as strings, numbers and lists."""
    if _PLAIN.get(str(kind)) == kind:
        return str(kind)
    # in this order: a named tuple of one kind is also a tuple of one kind
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        sort = "named" if isinstance(kind, types.NamedTuple) else "uniform"
        return [sort, _name_of(kind.instance_class), [written_type(each) for each in kind]]
    if isinstance(kind, types.UniTuple | types.Tuple):
        return ["tuple", [written_type(each) for each in kind]]
    if isinstance(kind, types.CPointer) and kind.addrspace is None:
        return ["pointer", written_type(kind.dtype)]
    if isinstance(kind, types.Array) and kind == types.Array(
        kind.dtype, kind.ndim, kind.layout, not kind.mutable, aligned=kind.aligned
    ):
        return ["array", written_type(kind.dtype), kind.ndim, kind.layout, kind.mutable, kind.aligned]
    if isinstance(kind, types.Record):
        return ["record", _written_dtype(kind)]
    if isinstance(kind, types.IntegerLiteral):
        return ["integer", kind.literal_value]
    if isinstance(kind, types.Omitted) and isinstance(kind.value, int | float | type(None)):
        return ["omitted", kind.value]
    raise Unwritable(str(kind))


def read_type(form: Any) -> Any:
    """The type that was written."""
    if isinstance(form, str):
        return _PLAIN[form]
    return _READERS[form[0]](*form[1:])


def _array(dtype: Any, axes: int, layout: str, mutable: bool, aligned: bool) -> Any:
    return types.Array(read_type(dtype), axes, layout, not mutable, aligned=aligned)


def _named(name: str, kinds: list[Any]) -> Any:
    return types.NamedTuple([read_type(each) for each in kinds], _class_of(name))


def _uniform(name: str, kinds: list[Any]) -> Any:
    return types.NamedUniTuple(read_type(kinds[0]), len(kinds), _class_of(name))


def _tuple(kinds: list[Any]) -> Any:
    return types.Tuple([read_type(each) for each in kinds])


def _record(fields: list[Any]) -> Any:
    return numpy_support.from_struct_dtype(np.dtype([tuple(field) for field in fields], align=True))


_READERS = {
    "array": _array,
    "integer": types.IntegerLiteral,
    "named": _named,
    "omitted": types.Omitted,
    "pointer": lambda form: types.CPointer(read_type(form)),
    "record": _record,
    "tuple": _tuple,
    "uniform": _uniform,
}


def _name_of(kind: type) -> str:
    """Where a class of Treadle is found again."""
    module, name = kind.__module__, kind.__qualname__
    if not module.startswith("treadle.") or getattr(importlib.import_module(module), name, None) is not kind:
        raise Unwritable(f"{module}.{name}")
    return f"{module}:{name}"


def _class_of(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _written_dtype(kind: types.Record) -> list[list[str]]:
    fields = [[name, numpy_support.as_dtype(kind.typeof(name)).str] for name in kind.fields]
    if _record(fields) != kind:
        raise Unwritable(str(kind))
    return fields
