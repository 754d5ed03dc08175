"""Functions and classes from elsewhere that compute the same from the same arguments and change nothing else."""

from __future__ import annotations

import builtins
import enum
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["PURE_BUILTINS", "is_pure_callable", "is_pure_class", "is_pure_module"]

#: Built-in functions that keep nothing, print nothing and ask nobody.
PURE_BUILTINS = frozenset(
    "abs all any bool bytes callable chr complex dict divmod enumerate filter float format frozenset getattr "
    "hasattr int isinstance issubclass iter len list map max min next object ord pow property range repr reversed "
    "round set slice sorted staticmethod classmethod str sum super tuple zip __build_class__ NotImplemented "
    "Ellipsis True False None __debug__ __name__".split()
)

#: Modules of the standard library whose functions and classes are pure.
_PURE_MODULES = frozenset(
    "math cmath operator _operator itertools _functools _bisect bisect collections collections.abc numbers abc "
    "enum typing dataclasses __future__".split()
)

#: Packages of Treadle whose functions compute over generic scalars and keep nothing.
_PURE_PACKAGES = (
    "constraints", "dynamics", "errors", "forces", "graph", "joints", "model", "spatial", "terrain", "wheels",
)  # fmt: skip

#: What of numpy reads or writes files, settings or a generator of random numbers.
_IMPURE_NUMPY = frozenset(
    "fromfile genfromtxt get_printoptions getbufsize geterr geterrcall info load loadtxt memmap open_memmap "
    "save savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall show_config "
    "show_runtime test tofile".split()
)


def is_pure_module(module: ModuleType) -> bool:
    """Whether nobody rebinds the names of a module: those above, numpy and Treadle."""
    return module.__name__ in _PURE_MODULES or module.__name__.split(".")[0] in ("numpy", "treadle")


def is_pure_callable(function: Any) -> bool:
    """Whether a function that is not the user's is pure."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    if isinstance(function, np.ufunc):
        return True
    if not isinstance(module, str):
        return False
    if module == "builtins":
        return name in PURE_BUILTINS
    package, _, rest = module.partition(".")
    if package == "numpy":
        return not rest.startswith("random") and name not in _IMPURE_NUMPY
    if package == "treadle":
        return rest.split(".")[0] in _PURE_PACKAGES
    return module in _PURE_MODULES


def is_pure_class(kind: type) -> bool:
    """Whether a class can be used as it is, to make objects or to ask what something is."""
    if issubclass(kind, enum.Enum) or (kind.__module__ == "builtins" and issubclass(kind, BaseException)):
        return True
    if issubclass(kind, tuple) and kind.__mro__[1] is tuple and hasattr(kind, "_fields"):
        # a named tuple without functions of its own
        return True
    if kind.__module__ == "builtins":
        return getattr(builtins, kind.__name__, None) is kind and kind.__name__ in PURE_BUILTINS
    return is_pure_callable(kind)
