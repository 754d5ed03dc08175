"""Constants of a machine: floats with an origin, so that equal values stay distinct constants.

A graph shares constants of equal value. For the constants of a machine its code would then depend on chance:
with two legs of the same damping, a change of one would need other code. Two `Number`s are one constant only
if their values are equal and they come from the same place, by the same operations. So machines that differ
in such numbers have one graph with other constants, as long as none of them becomes or ceases to be zero.
What loses its origin on the way, in a function of math or numpy, is shared by value again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Number"]


class Number(float):
    """A float and its origin; sums, differences, products and quotients have origins of their own."""

    __slots__ = ("origin",)
    origin: int

    def __new__(cls, value: float, origin: int) -> Number:
        number = super().__new__(cls, value)
        number.origin = origin
        return number

    def __neg__(self) -> Number:
        return Number(float.__neg__(self), ~self.origin)


def _origin(x: float) -> int:
    """Origin of any number: of a plain one its value; -x has the complement of the origin of x."""
    if isinstance(x, Number):
        return x.origin
    return hash((x, 0)) if x >= 0.0 else ~hash((-x, 0))


def _operation(name: str, neutral: float, origin: Callable[[int, int], int]) -> Callable[..., Any]:
    plain = getattr(float, name)

    def operate(self: Number, other: Any) -> Any:
        value = plain(self, other)
        # traced scalars and arrays have operators of their own
        if value is NotImplemented or value == 0.0:
            return value
        if other == neutral and not isinstance(other, Number):
            return self
        return Number(value, origin(self.origin, _origin(other)))

    operate.__name__ = name
    return operate


def _sum(a: int, b: int) -> int:
    return hash((1, a + b))


def _product(a: int, b: int) -> int:
    return hash((2, a + b))


def _quotient(a: int, b: int) -> int:
    return hash((3, a, b))


_NOTHING = float("nan")

for _name, _neutral, _function in (
    ("__add__", 0.0, _sum),
    ("__radd__", 0.0, _sum),
    ("__sub__", 0.0, lambda a, b: _sum(a, ~b)),
    ("__rsub__", _NOTHING, lambda a, b: _sum(~a, b)),
    ("__mul__", 1.0, _product),
    ("__rmul__", 1.0, _product),
    ("__truediv__", 1.0, _quotient),
    ("__rtruediv__", _NOTHING, lambda a, b: _quotient(b, a)),
):
    setattr(Number, _name, _operation(_name, _neutral, _function))
