"""Dormand and Prince's method of order 8 with error estimates of orders 5 and 3."""

from __future__ import annotations

from functools import cache, partial

from treadle.integrators.error_control import controlled_step
from treadle.integrators.method import Method
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD"]


@cache
def tableau() -> Tableau:
    """The coefficients; the 13th stage starts the next step, three more are for output."""
    from treadle.integrators.dopri853_coefficients import (
        DENSE,
        ERRORS,
        NODES,
        OUTPUT_STAGES,
        STAGES,
        WEIGHTS,
    )

    return Tableau([*STAGES, WEIGHTS, *OUTPUT_STAGES], [*WEIGHTS, 0.0], NODES, ERRORS, DENSE)


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
