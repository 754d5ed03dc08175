"""Decorators of kernels: functions that Numba compiles, kept on disk as long as no kernel of Treadle changes.

Numba's own cache looks at the file of a function alone and unpickles its files. Here the kernels of a package
are kept under a hash of its sources and of those of the packages it calls, as entries of the store (see
`kernel_cache`). Numba is imported when a kernel is first called from Python or compiled (see `deferred`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from treadle.native.c_types import Signature
from treadle.native.deferred import Deferred

__all__ = ["inner", "kernel", "kernels_digest", "njit", "package_of", "part"]

_PACKAGE = Path(__file__).resolve().parent.parent


def njit(given: Any = None, cache: bool = False, draft: bool = False, **options: Any) -> Any:
    """Numba's decorator; with `cache` the machine code is kept in the store.

    A draft is called by kernels only, and optimized as part of them (see `drafts`).
    """
    if callable(given) and not isinstance(given, Signature):
        return _deferred(given, None, cache, draft, options)
    signatures = [given] if isinstance(given, Signature) else given
    return lambda function: _deferred(function, signatures, cache, draft, options)


def _deferred(function: Callable[..., Any], signatures: Any, kept: bool, draft: bool, options: Any) -> Any:
    def make() -> Any:
        from treadle.native.dispatchers import dispatcher

        return dispatcher(function, signatures, kept, draft, options)

    return Deferred(make, function)


#: Makes a function a kernel: compiled once, kept on disk, with infinities where numbers are divided by zero.
kernel = partial(njit, cache=True, error_model="numpy")

#: The same for one that only kernels call.
inner = partial(njit, draft=True, error_model="numpy")

#: The same for a stage or part of one that runs in every step.
part = inner


#: Packages or files with kernels, and those whose kernels they call.
_CALLS = {
    "native": (),
    "batch/control_kernel.py": ("native",),
    "collision": ("native",),
    "contact": ("native",),
    "sensors/chain.py": ("native",),
    "sensors/rays": ("native", "collision"),
    "solvers": ("native",),
    "sim/step": ("native", "collision", "contact", "solvers"),
    "studies/baselines": ("native", "solvers"),
}

#: Files of `native` that kernels are made with; all others are about compiled programs.
_NATIVE = {
    "c_types", "calling", "deferred", "dispatchers", "drafts", "entries", "entry_code",
    "formula_code", "formulas", "frames", "intrinsics", "kernel_cache", "kernel_types", "kernels",
    "numba_types", "pieces", "runtime", "views",
}  # fmt: skip


@cache
def kernels_digest(package: str) -> str:
    """Hash of the sources behind the kernels of a package, such as "collision"."""
    total = hashlib.sha256()
    for name in (package, *_CALLS[package]):
        place = _PACKAGE / name
        for path in [place] if place.suffix else sorted(place.rglob("*.py")):
            if name == "native" and path.stem not in _NATIVE:
                continue
            total.update(str(path.relative_to(_PACKAGE)).encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def package_of(function: Callable[..., Any]) -> str | None:
    """The package whose kernel a function is; None for one from elsewhere, or made anew in every call."""
    if function.__closure__ is not None:
        return None
    return _package_of_file(function.__code__.co_filename)


@cache
def _package_of_file(name: str) -> str | None:
    path = Path(name).resolve()
    return next((package for package in _CALLS if _PACKAGE / package in (path, *path.parents)), None)
