"""What kernels do that Python has no words for: pointers from addresses, calls by address, room on the stack.

`calling` and `pieces` hand these on without importing Numba; importing this module imports it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from treadle.native.c_types import Signature
from treadle.native.numba_types import numba_signature

__all__ = [
    "address", "at", "call", "call_by_address", "integers", "prefetch", "reals", "room", "wholes_at",
]  # fmt: skip

_REALS, _WHOLES = types.CPointer(types.float64), types.CPointer(types.int64)


@intrinsic
def call(context: Any, function: Any, frame: Any) -> Any:
    """Call a void function of one pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        memory = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [memory])
        target = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(target, [builder.inttoptr(arguments[1], memory)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def reals(context: Any, address: Any) -> Any:
    """A pointer to float64 from an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())

    return _REALS(types.int64), generate


@intrinsic
def integers(context: Any, address: Any) -> Any:
    """A pointer to int64 from an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())

    return _WHOLES(types.int64), generate


@intrinsic(prefer_literal=True)
def room(context: Any, count: Any) -> Any:
    """Float64 that a kernel has until it returns."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return cgutils.alloca_once(builder, ir.DoubleType(), size=count.literal_value)

    return _REALS(count), generate


@intrinsic
def at(context: Any, row: Any, place: Any) -> Any:
    """The float64 from a place of a row on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return _REALS(_REALS, types.int64), generate


@intrinsic
def wholes_at(context: Any, row: Any, place: Any) -> Any:
    """The int64 from a place of a row on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return _WHOLES(_WHOLES, types.int64), generate


@intrinsic
def prefetch(context: Any, table: Any, row: Any, column: Any) -> Any:
    """Fetch the cache line of an element of an array of rows that is soon to be read."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.add(builder.mul(arguments[1], builder.extract_value(array.shape, 1)), arguments[2])
        memory, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [memory, number, number, number])
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        where = builder.bitcast(builder.gep(array.data, [place]), memory)
        # to be read, and kept in all caches
        builder.call(called, [where, *[ir.Constant(number, k) for k in (0, 3, 1)]])
        return context.get_dummy_value()

    return types.void(table, types.int64, types.int64), generate


@intrinsic
def address(context: Any, row: Any) -> Any:
    """Where a row is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(_REALS), generate


def call_by_address(called: Signature) -> Any:
    """A function of an address and the arguments of an entry with this signature."""
    signature = numba_signature(called)

    def call(context: Any, address: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, typed: Any, values: Any) -> Any:
            given = cgutils.unpack_tuple(builder, values[1], len(signature.args))
            empty = signature.return_type == types.void
            result = ir.VoidType() if empty else context.get_value_type(signature.return_type)
            kind = ir.FunctionType(result, [context.get_value_type(kind) for kind in signature.args])
            value = builder.call(builder.inttoptr(values[0], kind.as_pointer()), given)
            return context.get_dummy_value() if empty else value

        return signature.return_type(types.int64, types.Tuple(signature.args)), generate

    return intrinsic(call)
