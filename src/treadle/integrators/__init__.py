"""Integrators, one method per file. A new one is its file and a line in INTEGRATORS.

Each has a function `step(system, q, v, time, dt) -> Advance` over generic scalars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING

from treadle.integrators.method import Advance, Method
from treadle.lazy import lazy_names

if TYPE_CHECKING:
    from treadle.integrators.system import System

__all__ = ["INTEGRATORS", "Advance", "Method", "System"]

__getattr__ = lazy_names(__name__, {"treadle.integrators.system": ("System",)})


class _Methods(MutableMapping[str, Method]):
    """Methods by name; the file of that name is imported when its method is first asked for."""

    def __init__(self, names: Iterable[str]) -> None:
        self._methods: dict[str, Method | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Method:
        method = self._methods[name]
        if method is None:
            method = import_module(f"treadle.integrators.{name}").METHOD
            self._methods[name] = method
        return method

    def __setitem__(self, name: str, method: Method) -> None:
        self._methods[name] = method

    def __delitem__(self, name: str) -> None:
        del self._methods[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods)

    def __len__(self) -> int:
        return len(self._methods)


#: Every method by name.
INTEGRATORS = _Methods(
    [
        "symplectic_euler",
        "explicit_euler",
        "midpoint",
        "rk4",
        "rk6",
        "implicit_euler",
        "linear_implicit_euler",
        "index2_euler",
        "implicit_midpoint",
        "generalized_alpha",
        "variational",
        "variational4",
        "dopri5",
        "dopri853",
    ]
)
