"""Formulas (see `formulas`) as instructions of LLVM. Importing this module imports Numba."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["formula_intrinsic"]

_DOUBLE, _INTEGER = ir.DoubleType(), ir.IntType(64)
_REAL, _VECTOR, _ROW = types.float64, types.UniTuple(types.float64, 3), types.CPointer(types.float64)


def formula_intrinsic(function: Callable[..., Any]) -> Any:
    """The intrinsic of a formula."""

    def define(context: Any, *kinds: Any) -> Any:
        taken = [_taken(kind) for kind in kinds]
        result = _kind(function(*[_EXAMPLES[kind] for kind in taken]))

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return _packed(builder, function(*[_given(builder, *pair) for pair in zip(taken, values)]))

        return result(*taken), generate

    parameters = [
        inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *inspect.signature(function).parameters.values(),
    ]
    define.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    define.__name__, define.__doc__ = function.__name__, function.__doc__
    return intrinsic(define)


class _Value:
    """A number in the code that is being written: a float or a whole number."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value, self.whole = builder, value, value.type == _INTEGER

    def other(self, other: Any) -> Any:
        if isinstance(other, _Value):
            return other.value
        return ir.Constant(_INTEGER, int(other)) if self.whole else ir.Constant(_DOUBLE, float(other))

    def root(self) -> _Value:
        """The square root."""
        return self._intrinsic("llvm.sqrt")

    def largest(self, other: Any) -> _Value:
        """The larger one of two."""
        higher = self.builder.fcmp_ordered(">", self.value, self.other(other))
        return _Value(self.builder, self.builder.select(higher, self.value, self.other(other)))

    def pick(self, limit: float, below: Any, beyond: Any) -> _Value:
        """`below` where it is less than the limit, else `beyond`."""
        lower = self.builder.fcmp_ordered("<", self.value, self.other(limit))
        return _Value(self.builder, self.builder.select(lower, self.other(below), self.other(beyond)))

    def _intrinsic(self, name: str) -> _Value:
        called = self.builder.module.declare_intrinsic(name, [_DOUBLE])
        return _Value(self.builder, self.builder.call(called, [self.value]))

    def _made(self, whole: str, real: str, first: Any, second: Any) -> _Value:
        return _Value(self.builder, getattr(self.builder, whole if self.whole else real)(first, second))

    def __add__(self, other: Any) -> _Value:
        return self._made("add", "fadd", self.value, self.other(other))

    def __radd__(self, other: Any) -> _Value:
        return self._made("add", "fadd", self.other(other), self.value)

    def __sub__(self, other: Any) -> _Value:
        return self._made("sub", "fsub", self.value, self.other(other))

    def __rsub__(self, other: Any) -> _Value:
        return self._made("sub", "fsub", self.other(other), self.value)

    def __mul__(self, other: Any) -> _Value:
        return self._made("mul", "fmul", self.value, self.other(other))

    def __rmul__(self, other: Any) -> _Value:
        return self._made("mul", "fmul", self.other(other), self.value)

    def __truediv__(self, other: Any) -> _Value:
        return self._made("sdiv", "fdiv", self.value, self.other(other))

    def __rtruediv__(self, other: Any) -> _Value:
        return self._made("sdiv", "fdiv", self.other(other), self.value)

    def __neg__(self) -> _Value:
        return self._made(
            "sub", "fsub", ir.Constant(self.value.type, -0.0 if not self.whole else 0), self.value
        )

    def __abs__(self) -> _Value:
        return self._intrinsic("llvm.fabs")


class _Row:
    """Numbers at an address."""

    def __init__(self, builder: Any, pointer: Any) -> None:
        self._builder, self._pointer = builder, pointer

    def _place(self, index: Any) -> Any:
        place = index.value if isinstance(index, _Value) else ir.Constant(_INTEGER, index)
        return self._builder.gep(self._pointer, [place])

    def __getitem__(self, index: Any) -> _Value:
        return _Value(self._builder, self._builder.load(self._place(index)))

    def __setitem__(self, index: Any, number: Any) -> None:
        value = number.value if isinstance(number, _Value) else ir.Constant(_DOUBLE, float(number))
        self._builder.store(value, self._place(index))


#: What a formula is run on to learn what it returns.
_EXAMPLES: dict[Any, Any] = {
    _REAL: 1.0,
    types.int64: 0,
    _VECTOR: (1.0, 1.0, 1.0),
    _ROW: dict.fromkeys(range(64), 1.0),
}


def _taken(kind: Any) -> Any:
    """What a formula takes an argument of this type as."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer):
        return types.int64
    if isinstance(kind, types.Float):
        return _REAL
    return _VECTOR if isinstance(kind, types.BaseTuple) else _ROW


def _kind(result: Any) -> Any:
    if result is None:
        return types.void
    return _VECTOR if isinstance(result, tuple) else _REAL


def _given(builder: Any, kind: Any, value: Any) -> Any:
    if kind == _VECTOR:
        return tuple(_Value(builder, item) for item in cgutils.unpack_tuple(builder, value, 3))
    return _Row(builder, value) if kind == _ROW else _Value(builder, value)


def _packed(builder: Any, result: Any) -> Any:
    if result is None:
        return cgutils.get_null_value(ir.IntType(8).as_pointer())
    if isinstance(result, tuple):
        values = [x.value if isinstance(x, _Value) else ir.Constant(_DOUBLE, float(x)) for x in result]
        return cgutils.pack_array(builder, values)
    return result.value
