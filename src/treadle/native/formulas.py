"""Straight-line arithmetic that becomes part of the kernel that calls it.

A small function that Numba compiles on its own costs a tenth of a second, and its code is optimized again in
every kernel that calls it. A formula is traced instead: the Python text runs once per call over values of
LLVM (see `formula_code`), and leaves a few instructions where it was called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.native.deferred import Deferred

__all__ = ["formula", "largest", "pick", "root"]


def formula(function: Callable[..., Any]) -> Any:
    """Let kernels call a function of numbers, vectors (tuples of three) and rows (pointers to numbers).

    It may use + - * /, abs, `root`, `largest` and `pick`, and read and write rows at whole numbers, but not
    branch. It returns a number, a vector or nothing.
    """

    def make() -> Any:
        from treadle.native.formula_code import formula_intrinsic

        return formula_intrinsic(function)

    return Deferred(make, function)


def root(x: Any) -> Any:
    """The square root, in a formula."""
    return x**0.5 if isinstance(x, int | float) else x.root()


def largest(a: Any, b: Any) -> Any:
    """The larger of two numbers, in a formula."""
    return max(a, b) if isinstance(a, int | float) else a.largest(b)


def pick(x: Any, limit: float, below: Any, beyond: Any) -> Any:
    """`below` where x < limit, else `beyond`: two numbers or two vectors, in a formula."""
    if isinstance(below, tuple):
        return tuple(pick(x, limit, a, b) for a, b in zip(below, beyond))
    if isinstance(x, int | float):
        return below if x < limit else beyond
    return x.pick(limit, below, beyond)
