"""Integrators, one method per file. A new one is its file and a line in INTEGRATORS.

Each has a function `step(system, q, v, time, dt) -> Advance` over generic scalars.
"""

from __future__ import annotations

from treadle.integrators import (
    dopri5,
    dopri853,
    explicit_euler,
    generalized_alpha,
    implicit_euler,
    implicit_midpoint,
    index2_euler,
    linear_implicit_euler,
    midpoint,
    rk4,
    rk6,
    symplectic_euler,
    variational,
    variational4,
)
from treadle.integrators.method import Advance, Method
from treadle.integrators.system import System

__all__ = ["INTEGRATORS", "Advance", "Method", "System"]

#: Every method by name.
INTEGRATORS: dict[str, Method] = {
    "symplectic_euler": symplectic_euler.METHOD,
    "explicit_euler": explicit_euler.METHOD,
    "midpoint": midpoint.METHOD,
    "rk4": rk4.METHOD,
    "rk6": rk6.METHOD,
    "implicit_euler": implicit_euler.METHOD,
    "linear_implicit_euler": linear_implicit_euler.METHOD,
    "index2_euler": index2_euler.METHOD,
    "implicit_midpoint": implicit_midpoint.METHOD,
    "generalized_alpha": generalized_alpha.METHOD,
    "variational": variational.METHOD,
    "variational4": variational4.METHOD,
    "dopri5": dopri5.METHOD,
    "dopri853": dopri853.METHOD,
}
