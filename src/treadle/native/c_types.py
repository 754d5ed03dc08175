"""Types of what kernels are called with, without Numba: named as Numba names them.

A type called with types is a signature: `float64(CPointer(float64), int64)` takes a pointer and a whole
number and returns a number.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

__all__ = ["Array", "CPointer", "CType", "Signature", "float64", "int64", "void"]


class CType(NamedTuple):
    """A type: the name of Numba's constructor or constant, and what it is called with, if anything."""

    name: str
    options: tuple[Any, ...] = ()

    def __call__(self, *arguments: CType) -> Signature:
        return Signature(self, arguments)

    @property
    def ctype(self) -> Any:
        """The same for ctypes, which passes pointers as their addresses."""
        return _C[self.name]


class Signature(NamedTuple):
    """What a function returns and takes."""

    result: CType
    arguments: tuple[CType, ...]


_C = {"void": None, "int64": ctypes.c_int64, "float64": ctypes.c_double, "CPointer": ctypes.c_void_p}

void, int64, float64 = CType("void"), CType("int64"), CType("float64")


def CPointer(target: CType) -> CType:
    """A pointer."""
    return CType("CPointer", (target,))


def Array(element: CType, axes: int, layout: str) -> CType:
    """An array that knows its shape, which C cannot pass."""
    return CType("Array", (element, axes, layout))
