"""Types of the arguments of kernels, stated where a kernel would else be compiled once per constant.

Such a kernel is compiled (or found in the cache) when it is defined, so its helpers stand before it.
"""

from __future__ import annotations

from numba import types

from treadle.native.kernels import kernel

__all__ = ["ARRAY", "BOOL", "INT", "INTEGERS", "MATRICES", "MATRIX", "REAL", "VECTOR", "kernel"]

BOOL = types.boolean
INT = types.int64
REAL = types.float64
VECTOR = types.UniTuple(REAL, 3)
#: one number per shape
ARRAY = types.Array(REAL, 1, "C")
#: rows of numbers: poses (n, 12), sizes (n, 3), points (n, 3)
MATRIX = types.Array(REAL, 2, "C")
#: whole numbers, some per shape
INTEGERS = types.Array(INT, 2, "C")
MATRICES = types.Array(REAL, 3, "C")
