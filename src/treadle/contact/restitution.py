"""Damping of a linear contact for a given coefficient of restitution."""

from __future__ import annotations

from math import inf, log, pi, sqrt

from treadle.native.kernels import njit

__all__ = ["damping_of"]


@njit(cache=True)
def damping_of(e, stiffness, mass):
    """D (N s/m) of a contact with stiffness K (N/m) between bodies of an effective mass m (kg).

    Half an oscillation of m x'' + D x' + K x = 0 ends with e times its initial speed where
    D = 2 |ln e| sqrt(K m / (pi^2 + ln^2 e)). For e = 0 it is critically damped, as in the limit.
    """
    if mass == inf or mass <= 0.0 or e >= 1.0:
        return 0.0
    if e <= 0.0:
        return 2.0 * sqrt(stiffness * mass)
    x = abs(log(e))
    return 2.0 * x * sqrt(stiffness * mass / (pi * pi + x * x))
