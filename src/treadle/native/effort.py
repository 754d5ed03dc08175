"""About how long a kernel takes to compile, from the size of its code and of all that it calls."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from treadle.native.deferred import Deferred

__all__ = ["seconds"]

#: Seconds for a byte of bytecode, on one core of a workstation, and those that importing Numba takes.
_PER_BYTE, _NUMBA = 3e-4, 0.5


def seconds(function: Callable[..., Any]) -> float:
    """Time (s) to compile a function with all that it calls."""
    return _NUMBA + _PER_BYTE * _size(function, set())


def _size(function: Callable[..., Any], seen: set[CodeType]) -> int:
    """Bytes of bytecode of a function and of the kernels that it names, each counted once."""
    code = function.__code__
    if code in seen:
        return 0
    seen.add(code)
    called = [function.__globals__.get(name) for name in code.co_names]
    own = [each.function for each in called if isinstance(each, Deferred) and each.function is not None]
    return len(code.co_code) + sum(_size(each, seen) for each in own)
