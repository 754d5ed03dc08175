"""Newton's method on the unit sphere for the largest gap s(n) = d . n - sum |u_k . n| - sum |M_m n|.

The sums are the support functions of segments u_k and of ellipsoids or discs M_m (see `separation`).
"""

from __future__ import annotations

from math import sqrt

from treadle.collision.vectors import along, corner, cross, dot, norm, normal_to, scaled, unit
from treadle.native.pieces import helper

__all__ = ["gap", "maximize_gap"]

_ITERATIONS = 30


@helper
def gap(n, d, U, segments, M, curves):
    """s(n): the gap between the two shapes along n."""
    total = dot(d, n)
    for k in range(segments):
        total -= abs(dot(corner(U, k), n))
    for m in range(curves):
        total -= norm(_image(M, m, n))
    return total


@helper
def maximize_gap(n, d, U, segments, M, curves):
    """A local maximum of the gap from the start n, and its value.

    s is homogeneous: s = g . n with its gradient g. Its Hessian on the sphere is -(P K P) - s, K the
    curvature of the ellipsoids and discs; where it is indefinite (s < 0) it is shifted.
    """
    value = gap(n, d, U, segments, M, curves)
    short = 0
    for _ in range(_ITERATIONS):
        e, f = _tangents(n)
        g1, g2, k11, k12, k22 = _slopes(n, e, f, d, U, segments, M, curves)
        k11 += value
        k22 += value
        middle, spread = 0.5 * (k11 + k22), sqrt(0.25 * (k11 - k22) ** 2 + k12 * k12)
        lowest = middle - spread
        floor = 1e-3 * (abs(middle) + spread) + 1e-30
        if lowest < floor:
            k11 += floor - lowest
            k22 += floor - lowest
        determinant = k11 * k22 - k12 * k12
        x = (k22 * g1 - k12 * g2) / determinant
        y = (k11 * g2 - k12 * g1) / determinant
        length = sqrt(x * x + y * y)
        if length > 0.5:
            x, y = 0.5 * x / length, 0.5 * y / length
        better, trial, trial_value = False, n, value
        halvings = 0
        for _ in range(12):
            trial = unit(along(along(n, x, e), y, f), n)
            trial_value = gap(trial, d, U, segments, M, curves)
            if trial_value > value:
                better = True
                break
            # the last Newton steps change s by less than rounding
            if length < 1e-7:
                break
            x, y, length = 0.5 * x, 0.5 * y, 0.5 * length
            halvings += 1
        if not better:
            if length < 1e-7 and trial_value > value - 1e-14 * abs(value):
                n = trial
            break
        n, value = trial, trial_value
        # repeated short steps: a kink of s, where `separation` and `circles` search
        short = short + 1 if halvings > 3 else 0
        if short == 2:
            break
    return n, gap(n, d, U, segments, M, curves)


@helper
def _image(M, m, n):
    return (dot(corner(M, 3 * m), n), dot(corner(M, 3 * m + 1), n), dot(corner(M, 3 * m + 2), n))


@helper
def _tangents(n):
    e = normal_to(n)
    return e, cross(n, e)


@helper
def _slopes(n, e, f, d, U, segments, M, curves):
    """Gradient of s along the tangents e and f, and the curvature K along them."""
    g1, g2 = dot(d, e), dot(d, f)
    k11 = k12 = k22 = 0.0
    for k in range(segments):
        u = corner(U, k)
        if dot(u, n) < 0.0:
            u = scaled(u, -1.0)
        g1 -= dot(u, e)
        g2 -= dot(u, f)
    for m in range(curves):
        w, we, wf = _image(M, m, n), _image(M, m, e), _image(M, m, f)
        length = norm(w)
        if length > 0.0:
            a, b = dot(w, we) / length, dot(w, wf) / length
            g1 -= a
            g2 -= b
            k11 += (dot(we, we) - a * a) / length
            k12 += (dot(we, wf) - a * b) / length
            k22 += (dot(wf, wf) - b * b) / length
    return g1, g2, k11, k12, k22
