"""Elastic bodies with round surfaces: F = K x^n, with n = 3/2 for Hertz's theory. Nothing is lost.

K = 4/3 sqrt(R) E*,    1/R = 1/R1 + 1/R2,    1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2
"""

from __future__ import annotations

from treadle.contact.laws.law import Touch, power
from treadle.graph import Scalar

__all__ = ["hertz"]


def hertz(touch: Touch) -> Scalar:
    """A spring that stiffens with the depth."""
    return touch.stiffness * power(touch)
