"""Types of `c_types` as Numba's. Importing this module imports Numba."""

from __future__ import annotations

from typing import Any

from numba import types

from treadle.native.c_types import CType, Signature

__all__ = ["numba_signature", "numba_type"]


def numba_type(kind: CType) -> Any:
    """Numba's type."""
    named = getattr(types, kind.name)
    if not kind.options:
        return named
    return named(*[numba_type(each) if isinstance(each, CType) else each for each in kind.options])


def numba_signature(signature: Signature) -> Any:
    """Numba's signature."""
    return numba_type(signature.result)(*[numba_type(kind) for kind in signature.arguments])
