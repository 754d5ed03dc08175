"""Spring and damper in parallel: F = K x + D v, which is solved in closed form (`contact.linear_contact`).

    D = 2 |ln e| sqrt(K m / (pi^2 + ln^2 e))

makes two bodies of the effective mass m separate at e times their impact speed. The force jumps
to D v at the first touch, and pulls for a moment before they part.
"""

from __future__ import annotations

import math

from treadle.contact.laws.law import Touch
from treadle.graph import Scalar, log, maximum, sqrt

__all__ = ["kelvin_voigt"]


def kelvin_voigt(touch: Touch) -> Scalar:
    """A linear spring, with the damping that the restitution needs."""
    x = log(maximum(touch.restitution, 1e-300))
    damping = -2.0 * x * sqrt(touch.stiffness * touch.mass / (math.pi**2 + x * x))
    return touch.stiffness * touch.depth + damping * touch.rate
