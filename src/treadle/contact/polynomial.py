"""Polynomials c[0] + c[1] s + c[2] s^2 + ...: values, slopes, and where they change sign."""

from __future__ import annotations

import numpy as np

from treadle.native import c_types as types
from treadle.native.kernels import kernel

__all__ = ["OVER_TWO", "falling_zero", "moments", "rising_zero", "slope", "value"]

INT, REAL = types.int64, types.float64
ARRAY = types.Array(REAL, 1, "C")

#: 1/(k + 1) and 1/((k + 1) (k + 2)), by which integrals of powers are divided; of as many terms as there are.
_OVER_ONE = 1.0 / np.arange(1.0, 33.0)
OVER_TWO = _OVER_ONE / np.arange(2.0, 34.0)


@kernel([REAL(ARRAY, REAL)])
def value(c, s):
    """The polynomial at s."""
    total = 0.0
    for k in range(len(c) - 1, -1, -1):
        total = total * s + c[k]
    return total


@kernel([REAL(ARRAY, REAL)])
def slope(c, s):
    """Its first derivative."""
    total = 0.0
    for k in range(len(c) - 1, 0, -1):
        total = total * s + k * c[k]
    return total


@kernel()
def moments(c, s):
    """Value, slope, integral and twofold integral from 0 to s, in one pass."""
    total, rising, once, twice = 0.0, 0.0, 0.0, 0.0
    for k in range(len(c) - 1, -1, -1):
        rising = rising * s + total
        total = total * s + c[k]
        once = once * s + c[k] * _OVER_ONE[k]
        twice = twice * s + c[k] * OVER_TWO[k]
    return total, rising, once * s, twice * s * s


@kernel([REAL(ARRAY, REAL)])
def _curvature(c, s):
    """Its second derivative."""
    total = 0.0
    for k in range(len(c) - 1, 1, -1):
        total = total * s + k * (k - 1) * c[k]
    return total


@kernel([REAL(ARRAY, REAL, INT, REAL)])
def _zero(c, high, order, sign):
    """Newton's method from above, safeguarded by bisection."""
    low, t, smallest = 0.0, high, 1e-16 * high
    for _ in range(100):
        y, rate = (value(c, t), slope(c, t)) if order == 0 else (slope(c, t), _curvature(c, t))
        y, rate = sign * y, sign * rate
        if y > 0.0:
            low = t
        else:
            high = t
        new = t - y / rate if rate < 0.0 else 0.5 * (low + high)
        if not low < new < high:
            # converged: the Newton step is below rounding
            if abs(new - t) <= 4.0 * smallest:
                break
            new = 0.5 * (low + high)
        if abs(new - t) <= smallest or high - low <= smallest:
            break
        t = new
    return t


@kernel([REAL(ARRAY, REAL, INT)])
def falling_zero(c, high, order):
    """Where the polynomial (order 0) or its slope (order 1) falls through zero on (0, high]."""
    return _zero(c, high, order, 1.0)


@kernel([REAL(ARRAY, REAL, INT)])
def rising_zero(c, high, order):
    """Where it rises through zero."""
    return _zero(c, high, order, -1.0)
