"""Integrators, one method per file. A new one is its file and a line in INTEGRATORS.

Each is a function `step(system, q, v, time, dt) -> (q, v)` over generic scalars.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.integrators import rk4, symplectic_euler
from treadle.integrators.system import System

__all__ = ["INTEGRATORS", "System"]

#: One step of every method by name.
INTEGRATORS: dict[str, Callable] = {
    "symplectic_euler": symplectic_euler.step,
    "rk4": rk4.step,
}
