"""Integrators, one method per file. A new one is its file and a line in INTEGRATORS.

Each has a function `step(system, q, v, time, dt) -> Advance` over generic scalars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.integrators.method import Advance, Method
from treadle.lazy import lazy_names
from treadle.plugins import Registry

if TYPE_CHECKING:
    from treadle.integrators.system import System

__all__ = ["INTEGRATORS", "Advance", "Method", "System"]

__getattr__ = lazy_names(__name__, {"treadle.integrators.system": ("System",)})


#: Every method by name.
INTEGRATORS: Registry[Method] = Registry(
    "treadle.integrators",
    {
        name: f"treadle.integrators.{name}:METHOD"
        for name in (
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
        )
    },
)
