"""Kernels that are compiled on their own and called by address, the first time that one is needed.

Numba optimizes a kernel together with all that it calls, so that code which is called from ten places is
compiled ten times. A piece is compiled once; other kernels take its address from memory. Importing this
module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from treadle.native.drafts import DraftCompiler, KernelCompiler
from treadle.native.kernels import cfunc, njit

__all__ = ["REALS", "WHOLES", "Piece", "address", "at", "call_of", "helper", "piece", "room", "wholes_at"]

#: Pointers to float64 and to int64.
REALS, WHOLES = types.CPointer(types.float64), types.CPointer(types.int64)


class Piece:
    """A kernel with the signature of C, its address, and the places of the pieces that it calls."""

    def __init__(self, signature: Any, function: Callable[..., Any], needs: tuple[int, ...]) -> None:
        self.signature, self.function, self.needs = signature, function, needs
        self.name = function.__name__

    @cached_property
    def compiled(self) -> Any:
        return cfunc(self.signature, cache=True, error_model="numpy", pipeline_class=KernelCompiler)(
            self.function
        )

    @property
    def address(self) -> int:
        return self.compiled.address


def piece(signature: Any, *needs: int) -> Callable[[Callable[..., Any]], Piece]:
    """Make a function a piece; `needs` are the places in a table of addresses that it calls."""
    return lambda function: Piece(signature, function, needs)


def helper(function: Callable[..., Any]) -> Any:
    """Make a function part of the pieces that call it."""
    made = njit(  # pyright: ignore[reportCallIssue]
        function,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=DraftCompiler,
    )
    find = made.get_call_template
    # numba would compile it once more for every constant that it is called with
    made.get_call_template = lambda args, kws: find([types.unliteral(kind) for kind in args], kws)
    return made


def call_of(signature: Any) -> Any:
    """A function of an address and the arguments of a piece with this signature, for kernels."""

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


def _room(context: Any, count: Any) -> Any:
    if not isinstance(count, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return cgutils.alloca_once(builder, ir.DoubleType(), size=count.literal_value)

    return REALS(count), generate


#: room(n): n float64 that a kernel has until it returns, n a constant.
room: Any = intrinsic(prefer_literal=True)(_room)


def _at(context: Any, row: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return REALS(REALS, types.int64), generate


#: at(row, n): the float64 from place n of a row on.
at: Any = intrinsic(_at)


def _wholes_at(context: Any, row: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return WHOLES(WHOLES, types.int64), generate


#: wholes_at(row, n): the same for int64.
wholes_at: Any = intrinsic(_wholes_at)


def _address(context: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(REALS), generate


#: address(row): where it is.
address: Any = intrinsic(_address)
