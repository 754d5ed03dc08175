"""Spring and damper side by side: F = K x + D v, which is solved in closed form (`contact.coupled`).

    D = 2 |ln e| sqrt(K m / (pi^2 + ln^2 e))

makes a half swing of two bodies of the effective mass m end with e times its first speed. The force jumps
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
