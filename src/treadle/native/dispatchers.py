"""What the decorators of `kernels` and `pieces` make: dispatchers. Importing this module imports Numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
from numba import types
from numba.core import typeinfer

from treadle.native.c_types import Signature
from treadle.native.drafts import DraftCompiler
from treadle.native.kernel_cache import KernelCache
from treadle.native.kernels import kernels_digest, package_of
from treadle.native.numba_types import numba_signature

__all__ = ["dispatcher", "helper_dispatcher"]

#: Options of functions that only kernels call.
_DRAFT = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": DraftCompiler}


def dispatcher(
    function: Callable[..., Any],
    signatures: Sequence[Signature] | None,
    kept: bool,
    draft: bool,
    options: dict[str, Any],
) -> Any:
    """What Numba's decorator makes, with a cache of its own before the first signature is compiled."""
    made: Any = numba.njit(**(options | _DRAFT if draft else options))(function)
    if not draft and signatures is None:
        # kernels that call it have it as a draft
        called = numba.njit(**(options | _DRAFT))(function)
        made.get_call_template, made.get_overload = called.get_call_template, called.get_overload
    if kept and (package := package_of(function)) is not None:
        made._cache = KernelCache(function, kernels_digest(package))
    if signatures is not None:
        with typeinfer.register_dispatcher(made):
            for signature in signatures:
                made.compile(numba_signature(signature))
            made.disable_compile()
    return made


def helper_dispatcher(function: Callable[..., Any]) -> Any:
    """One that only entries call, whatever constants it is called with."""
    made = dispatcher(function, None, False, True, {"error_model": "numpy"})
    find = made.get_call_template
    # numba would compile it once more for every constant that it is called with
    made.get_call_template = lambda args, kws: find([types.unliteral(kind) for kind in args], kws)
    return made
