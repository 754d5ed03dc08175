"""Dense output: the motion inside a substep, as a polynomial of the tangent step delta and of v.

With x from 0 to 1 over a substep and h k the rates times its length,

    delta, v - v0 = F0 x + F1 x (1-x) + F2 x^2 (1-x) + F3 x^2 (1-x)^2 + F4 x^3 (1-x)^2 + ...

F0 is the change over the substep; F1 and F2 make the rates at both ends right (the cubic Hermite
interpolant); the others are combinations of the stages (Hairer, Norsett, Wanner, II.6 and II.10).
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.integrators.runge_kutta import combine, stage_rates
from treadle.integrators.system import System
from treadle.integrators.tableau import Tableau

__all__ = ["cubic_terms", "dense_terms", "inside"]


def dense_terms(
    tableau: Tableau, system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, h: Scalar
) -> list[list[Scalar]]:
    """The terms F0, F1, ... of a substep of h seconds from q and v, each as long as (delta, v)."""
    rates = stage_rates(tableau, system, q, v, time, h, dense=True)
    change = combine(tableau.b, rates, h)
    terms = cubic_terms(change, rates[0], rates[tableau.stages - 1], h)
    return [*terms, *[combine(weights, rates, h) for weights in tableau.dense]]


def cubic_terms(
    change: Sequence[Scalar], first: Sequence[Scalar], last: Sequence[Scalar], h: Scalar
) -> list[list[Scalar]]:
    """F0, F1 and F2 from the change over a substep and the rates at its ends."""
    bend = [h * a - c for a, c in zip(first, change, strict=True)]
    twist = [c - h * b - d for c, b, d in zip(change, last, bend, strict=True)]
    return [list(change), bend, twist]


def inside(terms: Sequence[Sequence[Scalar]], x: Scalar) -> list[Scalar]:
    """(delta, v - v0) at x between 0 and 1."""
    total: list[Scalar] = [0.0] * len(terms[0])
    for number in reversed(range(len(terms))):
        factor = 1.0 - x if number % 2 else x
        total = [(s + f) * factor for s, f in zip(total, terms[number], strict=True)]
    return total
