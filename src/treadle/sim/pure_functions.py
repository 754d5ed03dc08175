"""Functions and classes from elsewhere that compute the same from the same arguments, and change nothing."""

from __future__ import annotations

import builtins
import enum
import types
from typing import Any

import numpy as np

__all__ = ["PURE_BUILTINS", "is_pure_callable", "is_pure_class", "is_pure_module"]

#: Built-in functions that keep nothing, print nothing and ask nobody.
PURE_BUILTINS = frozenset({
    "__build_class__", "__debug__", "__name__", "abs", "all", "any", "bool", "bytes", "callable", "chr",
    "classmethod", "complex", "dict", "divmod", "Ellipsis", "enumerate", "filter", "float", "format",
    "frozenset", "getattr", "hasattr", "int", "isinstance", "issubclass", "iter", "len", "list", "map",
    "max", "min", "next", "NotImplemented", "object", "ord", "pow", "property", "range", "repr",
    "reversed", "round", "set", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple",
    "zip",
})  # fmt: skip

#: Modules of the standard library whose functions and classes are pure.
_PURE_MODULES = frozenset({
    "__future__", "_bisect", "_functools", "_operator", "abc", "bisect", "cmath", "collections",
    "collections.abc", "copy", "dataclasses", "enum", "functools", "itertools", "math", "numbers",
    "operator", "typing",
})  # fmt: skip

#: Packages of Treadle whose functions compute over generic scalars and keep nothing.
_PURE_PACKAGES = (
    "constraints", "dynamics", "errors", "forces", "graph", "joints", "model", "spatial", "terrain", "wheels",
)  # fmt: skip

#: What of numpy reads or writes files, settings or a generator of random numbers.
_IMPURE_NUMPY = frozenset({
    "fromfile", "genfromtxt", "get_printoptions", "getbufsize", "geterr", "geterrcall", "info", "load",
    "loadtxt", "memmap", "open_memmap", "save", "savetxt", "savez", "savez_compressed",
    "set_printoptions", "setbufsize", "seterr", "seterrcall", "show_config", "show_runtime", "test",
    "tofile",
})  # fmt: skip


#: Types of functions; other things that can be called may hold something.
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(np.sum))


def is_pure_module(module: types.ModuleType) -> bool:
    """Whether nobody rebinds the names of a module: those above, numpy and Treadle."""
    return module.__name__ in _PURE_MODULES or module.__name__.split(".")[0] in ("numpy", "treadle")


def is_pure_callable(function: Any) -> bool:
    """Whether a function or class that is not the user's is pure."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    if isinstance(function, np.ufunc):
        # others may have a function of the user inside
        return getattr(np, name, None) is function
    if not isinstance(function, (*_FUNCTIONS, type)):
        return False
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
