"""The root of a function between two points where it has different signs: Brent's method."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["bracketed_root"]

_EPS = sys.float_info.epsilon

#: Bisection alone would take about 1100 halvings between any two floating-point numbers.
_MOST = 1200


def bracketed_root(value: Callable[[float], float], a: float, b: float, tolerance: float = 0.0) -> float:
    """A point within `tolerance` and rounding of where `value` changes its sign between a and b.

    Inverse quadratic interpolation where it gains ground, bisection where it does not. Brent (1973),
    *Algorithms for Minimization without Derivatives*, chapter 4. ValueError if the signs are the same.
    """
    fa, fb = value(a), value(b)
    if fa == 0.0:
        return a
    if fb == 0.0:
        return b
    if (fa < 0.0) == (fb < 0.0):
        raise ValueError("a root is looked for between two points where the signs differ")
    # b is the best point, a the one before, c the other end of the bracket
    c, fc = a, fa
    step = before = b - a
    for _ in range(_MOST):
        if abs(fc) < abs(fb):
            a, b, c = b, c, b
            fa, fb, fc = fb, fc, fb
        near, middle = 2.0 * _EPS * abs(b) + 0.5 * tolerance, 0.5 * (c - b)
        if abs(middle) <= near or fb == 0.0:
            return b
        if abs(before) < near or abs(fa) <= abs(fb):
            step = before = middle
        else:
            tried = _interpolated((a, fa), (b, fb), (c, fc))
            if abs(2.0 * tried) < min(3.0 * abs(middle) - near, abs(before)) and tried * middle > 0.0:
                step, before = tried, step
            else:
                step = before = middle
        a, fa = b, fb
        b += step if abs(step) > near else (near if middle > 0.0 else -near)
        fb = value(b)
        if (fb < 0.0) == (fc < 0.0):
            c, fc = a, fa
            step = before = b - a
    return b


def _interpolated(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """The step from b to where the secant through a, or the inverse parabola through a and c, is zero."""
    s = b[1] / a[1]
    if a[0] == c[0]:
        return (c[0] - b[0]) * s / (s - 1.0)
    q, r = a[1] / c[1], b[1] / c[1]
    p = s * ((c[0] - b[0]) * q * (q - r) - (b[0] - a[0]) * (r - 1.0))
    return -p / ((q - 1.0) * (r - 1.0) * (s - 1.0))
