"""Butcher's Runge-Kutta method of order 6 with seven stages."""

from __future__ import annotations

from functools import partial

from treadle.integrators.method import Method
from treadle.integrators.runge_kutta import runge_kutta_step
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD", "TABLEAU"]

TABLEAU = Tableau(
    A=[
        [],
        [1 / 3],
        [0.0, 2 / 3],
        [1 / 12, 1 / 3, -1 / 12],
        [-1 / 16, 9 / 8, -3 / 16, -3 / 8],
        [0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2],
        [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11],
    ],
    b=[11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120],
    c=[0.0, 1 / 3, 2 / 3, 1 / 3, 1 / 2, 1 / 2, 1.0],
)

METHOD = Method(
    partial(runge_kutta_step, TABLEAU),
    6,
    "Butcher's sixth order: very accurate at small steps",
    loops="accelerations",
)
