"""Hertz's spring with damping that grows with the depth: F = K x^n (1 + c v / v0).

Hunt and Crossley (1975): c = 3/2 (1 - e), for restitutions near one. What c really delivers follows from
v dv / (1 + c v / v0) = -K/m x^n dx over both phases, whatever n is:

    c - ln(1 + c) = -c e' - ln(1 - c e')
"""

from __future__ import annotations

from treadle.contact.laws.law import Touch, power
from treadle.graph import Scalar, maximum

__all__ = ["damped", "hunt_crossley"]


def hunt_crossley(touch: Touch) -> Scalar:
    """For bodies that lose little."""
    return damped(touch, 1.5 * (1.0 - touch.restitution))


def damped(touch: Touch, c: Scalar) -> Scalar:
    """F = K x^n (1 + c v / v0), which never pulls."""
    return touch.stiffness * power(touch) * maximum(1.0 + c * touch.rate / touch.speed, 0.0)
