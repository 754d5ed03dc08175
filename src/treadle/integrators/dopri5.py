"""Dormand and Prince's method of order 5 with an error estimate of order 4."""

from __future__ import annotations

from functools import cache, partial

from treadle.integrators.error_control import controlled_step
from treadle.integrators.method import Method
from treadle.integrators.tableau import Tableau

__all__ = ["METHOD"]


@cache
def tableau() -> Tableau:
    """Dormand and Prince (1980); the last stage is the first of the next step."""
    A = [
        [],
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    ]
    b = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
    c = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]
    error = [-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40]
    # fourth power of the interpolant (Shampine, 1986): what the cubic terms lack
    dense = [
        -12715105075 / 11282082432, 0, 87487479700 / 32700410799, -10690763975 / 1880347072,
        701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
    ]  # fmt: skip
    return Tableau([*A, b], [*b, 0.0], c, [error], [dense])


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
