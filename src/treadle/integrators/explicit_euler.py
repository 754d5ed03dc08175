"""Explicit Euler, order 1: q' = q (+) h v, v' = v + h a(q, v)."""

from __future__ import annotations

from functools import partial

from treadle.integrators.method import Method
from treadle.integrators.runge_kutta import runge_kutta_step
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD"]

METHOD = Method(
    partial(runge_kutta_step, Tableau([[]], [1.0], [0.0])),
    1,
    "explicit Euler: gains energy, for comparison",
    loops="accelerations",
)
