"""Dormand and Prince's method of order 5 with an error estimate of order 4."""

from __future__ import annotations

from functools import cache, partial

from treadle.integrators.error_control import controlled_step
from treadle.integrators.method import Method
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD"]


@cache
def tableau() -> Tableau:
    """The coefficients, from scipy; the last stage is the first of the next step."""
    from scipy.integrate import RK45

    A = [row[:k].tolist() for k, row in enumerate(RK45.A)]
    b, c = [*RK45.B.tolist(), 0.0], [*RK45.C.tolist(), 1.0]
    # of the interpolant's powers the fourth is what the cubic terms lack
    return Tableau([*A, RK45.B.tolist()], b, c, [RK45.E.tolist()], [RK45.P[:, 3].tolist()])


METHOD = Method(
    partial(controlled_step, tableau, 4),
    5,
    "Dormand-Prince 5(4): error-controlled, for tolerances down to 1e-8",
    options={"tolerance": 1e-6},
    memory=lambda model: 1,
    iterates=True,
    loops="accelerations",
    tableau=tableau,
)
