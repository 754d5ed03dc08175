"""Entries: kernels with the signature of C behind an address, whose machine code stands alone.

The code of an entry is an object file that needs nothing but the C library: LLVM loads it, and neither Numba
nor any of its dispatchers is there. It is looked for in the package (see `packaged`), then in the user's
cache, and compiled where it is in neither, or of other sources.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from treadle import store
from treadle.extras import require
from treadle.native import packaged, progress
from treadle.native.c_types import Signature
from treadle.native.frames import table
from treadle.native.kernels import kernels_digest, package_of

__all__ = ["Entry", "entry", "known_entries"]

#: Raised when the form of entries changes.
_FORM = 1


class Entry:
    """A kernel that is compiled on its own, the first time that its address is needed.

    `needs` are the places in a table of addresses that it calls. Called from Python, it takes arrays, which
    must be contiguous, by their addresses, and named tuples by their tables (see `frames`); with `nogil`
    others run meanwhile.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Signature,
        needs: tuple[int, ...] = (),
        nogil: bool = False,
    ) -> None:
        self.function, self.signature, self.needs, self.nogil = function, signature, needs, nogil
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.__doc__ = function.__doc__

    @cached_property
    def address(self) -> int:
        """Where the machine code begins."""
        return self._engine.get_function_address("entry")

    def __call__(self, *arguments: Any) -> Any:
        # tables live until the call is over
        given = [table(x) if isinstance(x, tuple) else x for x in arguments]
        return self.pointer(*[x.ctypes.data if isinstance(x, np.ndarray) else x for x in given])

    @cached_property
    def pointer(self) -> Any:
        """The function of ctypes, which takes addresses and numbers: for calls that must be short."""
        kind = ctypes.CFUNCTYPE if self.nogil else ctypes.PYFUNCTYPE
        result, taken = self.signature
        return kind(result.ctype, *[each.ctype for each in taken])(self.address)

    @cached_property
    def _engine(self) -> Any:
        from treadle.native.compiler import load_object

        return load_object(self.object_code())

    @cached_property
    def key(self) -> str | None:
        """Hash of all that its machine code depends on; None for a function that is not Treadle's own."""
        from treadle.native.processor import this_processor

        package = package_of(self.function)
        if package is None:
            return None
        key = [_FORM, kernels_digest(package), self.name, this_processor()]
        return hashlib.sha256(json.dumps(key).encode()).hexdigest()

    def object_code(self) -> bytes:
        """Its machine code, from the package, from the user's cache, or compiled now and kept there."""
        found = self._stored()
        if found is not None:
            return found
        code = self.compile()
        if self.key is not None:
            store.write("entries", self.key, code)
        return code

    @property
    def is_stored(self) -> bool:
        """Whether its machine code is there already."""
        return self._stored() is not None

    def _stored(self) -> bytes | None:
        return None if self.key is None else packaged.read(self.key) or store.read("entries", self.key)

    def compile(self) -> bytes:
        """Compile it, whether it is stored or not."""
        from treadle.native.effort import seconds

        require("numba", "a kernel that the installed wheel has not compiled for this processor")
        with progress.compiling(f"the kernel {self.name.removeprefix('treadle.')}", seconds(self.function)):
            from treadle.native.entry_code import entry_object

            return entry_object(self.function, self.signature)


def entry(
    signature: Signature, needs: tuple[int, ...] = (), nogil: bool = False
) -> Callable[[Callable[..., Any]], Entry]:
    """Make a function an entry."""

    def made(function: Callable[..., Any]) -> Entry:
        _known.append(Entry(function, signature, needs, nogil))
        return _known[-1]

    return made


def known_entries() -> list[Entry]:
    """Those of the modules that are imported."""
    return list(_known)


_known: list[Entry] = []
