"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["lazy_names", "moved_names"]


def lazy_names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A package's `__getattr__` for names given by the modules that hold them.

    A name must not be that of a module of the package, which takes its place once it is imported.
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find


def moved_names(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module whose names have moved: they still work, with a DeprecationWarning.

    `homes` gives the full new name, such as "treadle.model.Shape", by the old one.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        message = f"{module}.{name} is deprecated: use {homes[name]}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        home, _, current = homes[name].rpartition(".")
        return getattr(import_module(home), current)

    return find
