"""The classical Runge-Kutta method, order 4."""

from __future__ import annotations

from functools import partial

from treadle.integrators.method import Method
from treadle.integrators.runge_kutta import runge_kutta_step
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD", "TABLEAU"]

TABLEAU = Tableau(
    A=[[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], b=[1 / 6, 1 / 3, 1 / 3, 1 / 6], c=[0.0, 0.5, 0.5, 1.0]
)

METHOD = Method(
    partial(runge_kutta_step, TABLEAU),
    4,
    "classical Runge-Kutta: accurate at small steps",
    loops="accelerations",
)
