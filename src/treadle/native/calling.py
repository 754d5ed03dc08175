"""Compiled programs called from Numba kernels, by address: about 2 ns a call, and the kernel stays cached.

Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["call", "integers", "reals"]


def _call(typing_context: Any, function: Any, frame: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        memory = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [memory])
        target = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(target, [builder.inttoptr(arguments[1], memory)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def _reals(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.int64), generate


def _integers(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())

    return types.CPointer(types.int64)(types.int64), generate


#: call(entry, frame): run the program with this entry on the frame at this address (see `Executable.frame`).
call: Any = intrinsic(_call)

#: reals(address), integers(address): a pointer to float64 or int64 from an integer.
reals: Any = intrinsic(_reals)
integers: Any = intrinsic(_integers)
