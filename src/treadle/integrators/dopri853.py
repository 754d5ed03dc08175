"""Dormand and Prince's method of order 8 with error estimates of orders 5 and 3."""

from __future__ import annotations

from functools import cache, partial

from treadle.integrators.error_control import controlled_step
from treadle.integrators.method import Method
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD"]


@cache
def tableau() -> Tableau:
    """The coefficients, from scipy; the 13th stage starts the next step, three more are for output."""
    from scipy.integrate import DOP853

    A = [row[:k].tolist() for k, row in enumerate(DOP853.A)]
    extra = [row[: 13 + k].tolist() for k, row in enumerate(DOP853.A_EXTRA)]
    b = [*DOP853.B.tolist(), 0.0]
    c = [*DOP853.C.tolist(), 1.0, *DOP853.C_EXTRA.tolist()]
    errors = [DOP853.E5.tolist(), DOP853.E3.tolist()]
    return Tableau([*A, DOP853.B.tolist(), *extra], b, c, errors, DOP853.D.tolist())


METHOD = Method(
    partial(controlled_step, tableau, 7),
    8,
    "Dormand-Prince 8(5,3): error-controlled, for the highest accuracy",
    options={"tolerance": 1e-9},
    memory=lambda model: 1,
    iterates=True,
    loops="accelerations",
    tableau=tableau,
)
