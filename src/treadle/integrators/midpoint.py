"""The explicit midpoint rule, order 2."""

from __future__ import annotations

from functools import partial

from treadle.integrators.method import Method
from treadle.integrators.runge_kutta import runge_kutta_step
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD"]

METHOD = Method(
    partial(runge_kutta_step, Tableau([[], [0.5]], [0.0, 1.0], [0.0, 0.5])),
    2,
    "explicit midpoint rule",
    loops="accelerations",
)
