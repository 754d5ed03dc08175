"""Numba kernels, kept on disk as long as no kernel of Treadle changes.

Numba's own cache looks at the file of a function alone: a kernel that calls others from elsewhere would go
on with their old code after an upgrade. Here the kernels of a package are kept under a hash of its sources
and of those of the packages it calls, in the folder of compiled code (see `store`). Importing this module
imports Numba.
"""

from __future__ import annotations

import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import cfunc, njit
from numba.core import caching

from treadle import store

__all__ = ["cfunc", "inner", "kernel", "njit", "part"]

_PACKAGE = Path(__file__).resolve().parent.parent

#: Makes a function a kernel: compiled once, kept on disk, with infinities where numbers are divided by zero.
kernel = partial(njit, cache=True, error_model="numpy")

#: The same for one that only kernels call: without what Python would need, which takes long to compile.
inner = partial(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # pyright: ignore[reportCallIssue]

#: The same for a part that runs in every step: it stands in the code of those that call it, so that no tuple
#: of arrays is handed over number by number. It is compiled once more for each of them.
part = partial(inner, forceinline=True)


#: Packages with kernels, and those whose kernels they call.
_CALLS = {
    "native": (),
    "collision": ("native",),
    "contact": ("native",),
    "sensors/rays": ("native",),
    "solvers": ("native",),
    "sim/step": ("native", "collision", "contact", "solvers"),
    "studies/baselines": ("native", "solvers"),
}


@cache
def kernels_digest(package: str) -> str:
    """Hash of the sources behind the kernels of a package, such as "collision"."""
    total = hashlib.sha256()
    for name in (package, *_CALLS[package]):
        for path in sorted((_PACKAGE / name).rglob("*.py")):
            total.update(str(path.relative_to(_PACKAGE)).encode())
            total.update(path.read_bytes())
    return total.hexdigest()


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Where the kernels of Treadle are kept; other functions are left to Numba."""

    def __init__(self, function: Any, package: str, within: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._digest = kernels_digest(package)
        # files of one name lie in different folders
        self._folder = store.folder() / "kernels" / self._digest[:16] / within

    def get_cache_path(self) -> Any:
        return str(self._folder)

    def get_source_stamp(self) -> Any:
        return self._digest

    def get_disambiguator(self) -> Any:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator | None:
        path = Path(py_file).resolve()
        package = next((name for name in _CALLS if _PACKAGE / name in path.parents), None)
        if package is None:
            return None
        try:
            locator = cls(py_func, package, path.parent.relative_to(_PACKAGE))
            locator.ensure_cache_path()
        except (OSError, RuntimeError):
            return None
        return locator


def _install() -> None:
    known = caching.CacheImpl._locator_classes
    if _Locator not in known:
        known.insert(0, _Locator)


_install()
