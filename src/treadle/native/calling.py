"""Compiled programs called from kernels, by address: about 2 ns a call, and the kernel stays cached."""

from __future__ import annotations

from typing import Any

from treadle.native.deferred import Deferred

__all__ = ["call", "carray", "deferred_intrinsic", "integers", "prefetch", "reals"]


def deferred_intrinsic(name: str) -> Any:
    """A function of `intrinsics`, which is imported when it is needed."""

    def find() -> Any:
        from treadle.native import intrinsics

        return getattr(intrinsics, name)

    return Deferred(find)


def _numba_carray() -> Any:
    from numba.np.numpy_support import carray

    return carray


#: call(entry, frame): run the program with this entry on the frame at this address (see `Executable.frame`).
call: Any = deferred_intrinsic("call")

#: reals(address), integers(address): a pointer to float64 or int64 from an integer.
reals: Any = deferred_intrinsic("reals")
integers: Any = deferred_intrinsic("integers")

#: prefetch(table, row, column): fetch the cache line of an element of an array of rows.
prefetch: Any = deferred_intrinsic("prefetch")

#: carray(pointer, shape): an array at a pointer, Numba's own.
carray: Any = Deferred(_numba_carray)
