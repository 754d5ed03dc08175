"""Numba kernels, kept on disk as long as no kernel of Treadle changes.

Numba's own cache looks at the file of a function alone and unpickles its files. Here the kernels of a package
are kept under a hash of its sources and of those of the packages it calls, as entries of the store (see
`kernel_cache`). Importing this module imports Numba.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core import sigutils, typeinfer
from numba.core.ccallback import CFunc
from numba.core.compiler import Compiler

from treadle.native.drafts import DraftCompiler
from treadle.native.kernel_cache import KernelCache

__all__ = ["cfunc", "inner", "kernel", "kernels_digest", "njit", "part"]

_PACKAGE = Path(__file__).resolve().parent.parent


def njit(given: Any = None, cache: bool = False, **options: Any) -> Any:
    """Numba's decorator; with `cache` the machine code is kept in the store."""
    if callable(given) and not sigutils.is_signature(given):
        return _dispatcher(given, None, cache, options)
    signatures = [given] if given is not None and not isinstance(given, list) else given
    return lambda function: _dispatcher(function, signatures, cache, options)


def cfunc(signature: Any, cache: bool = False, pipeline_class: Any = Compiler, **options: Any) -> Any:
    """Numba's decorator for functions with an address; with `cache` the machine code is kept in the store."""

    def compiled(function: Callable[..., Any]) -> CFunc:
        made: Any = CFunc(
            function, sigutils.normalize_signature(signature), {}, options, pipeline_class=pipeline_class
        )
        if cache and (package := _package_of(function)) is not None:
            made._cache = KernelCache(function, kernels_digest(package))
        made.compile()
        return made

    return compiled


#: Options of functions that only kernels call.
_DRAFT = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": DraftCompiler}

#: Makes a function a kernel: compiled once, kept on disk, with infinities where numbers are divided by zero.
kernel = partial(njit, cache=True, error_model="numpy")

#: The same for one that only kernels call: a draft, which is optimized as part of these (see `drafts`).
inner = partial(njit, error_model="numpy", **_DRAFT)

#: The same for a stage or part of one that runs in every step.
part = inner


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

#: Files of `native` that kernels are made with; all others are about compiled programs.
_NATIVE = {
    "calling", "drafts", "formulas", "frames", "kernel_cache", "kernel_types", "kernels", "pieces",
}  # fmt: skip


@cache
def kernels_digest(package: str) -> str:
    """Hash of the sources behind the kernels of a package, such as "collision"."""
    total = hashlib.sha256()
    for name in (package, *_CALLS[package]):
        for path in sorted((_PACKAGE / name).rglob("*.py")):
            if name == "native" and path.stem not in _NATIVE:
                continue
            total.update(str(path.relative_to(_PACKAGE)).encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def _dispatcher(function: Callable[..., Any], signatures: Any, kept: bool, options: Any) -> Any:
    """What Numba's decorator makes, with a cache of its own before the first signature is compiled."""
    made: Any = numba.njit(**options)(function)
    if "pipeline_class" not in options and signatures is None:
        # kernels that call it have it as a draft
        called = numba.njit(**(options | _DRAFT))(function)
        made.get_call_template, made.get_overload = called.get_call_template, called.get_overload
    if kept and (package := _package_of(function)) is not None:
        made._cache = KernelCache(function, kernels_digest(package))
    if signatures is not None:
        with typeinfer.register_dispatcher(made):
            for signature in signatures:
                made.compile(signature)
            made.disable_compile()
    return made


def _package_of(function: Callable[..., Any]) -> str | None:
    """The package whose kernel a function is; None for one from elsewhere, or made anew in every call."""
    if function.__closure__ is not None:
        return None
    return _package_of_file(function.__code__.co_filename)


@cache
def _package_of_file(name: str) -> str | None:
    path = Path(name).resolve()
    return next((package for package in _CALLS if _PACKAGE / package in path.parents), None)
