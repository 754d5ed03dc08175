"""Bekker's pressure under a wheel with the traction of Janosi and Hanamoto: soil in closed form.

    fz = (3 - n) / 3 b k sqrt(2 r) h^(n + 1/2),    k = kc / b + kphi
    R = b k h^(n + 1) / (n + 1)                                   resistance of the rut
    H = (l b c + fz tan phi) (1 - K / (i l) (1 - exp(-i l / K)))  traction at the slip i and contact length l

Bekker (1969); Wong (2008), chapter 2. Forces along and across share H by the direction of the slip.
"""

from __future__ import annotations

import math

from treadle.graph import Scalar, acos, clip, exp, maximum, minimum, sqrt
from treadle.wheels.model import WheelContact
from treadle.wheels.normal import TOUCHING
from treadle.wheels.soil import DEEPEST

__all__ = ["bekker"]

#: Slips below this are none.
_SMALL = 1e-6


def bekker(contact: WheelContact, damping: float = 100.0, crawl: float = 0.02) -> tuple[Scalar, ...]:
    """Forces in the terrain's soil; `damping` (N s/m), and the speed `crawl` (m/s) below which it creeps."""
    soil, radius, width = contact.soil, contact.radius, contact.width
    n = soil.exponent
    stiffness = width * (soil.cohesive_modulus / width + soil.frictional_modulus)
    depth = clip(contact.depth, 0.0, DEEPEST * radius)
    sunk = maximum(depth, 1e-9 * radius)
    deep = stiffness * sunk**n
    bearing = ((3.0 - n) / 3.0 * math.sqrt(2.0 * radius)) * deep * sqrt(sunk)
    engaged = minimum(depth * (1.0 / (TOUCHING * radius)), 1.0)
    fz = maximum(bearing * minimum(1e3 * engaged, 1.0) - damping * engaged * contact.vz, 0.0)

    ahead = contact.vx + contact.rolling
    fastest = maximum(abs(ahead), abs(contact.rolling))
    faster = maximum(fastest, crawl)
    slip_x, slip_y = -(contact.vx / faster), -(contact.vy / faster)
    slip = sqrt(slip_x * slip_x + slip_y * slip_y + _SMALL * _SMALL)
    length = radius * acos(1.0 - sunk * (1.0 / radius))
    sheared = slip * length * (1.0 / soil.shear_modulus)
    mobilized = 1.0 - (1.0 - exp(-sheared)) / sheared
    strength = length * (width * soil.cohesion) * engaged + fz * math.tan(soil.friction_angle)
    pull = strength * mobilized / slip
    # the rut holds the wheel back the way it goes, and does not turn it
    rut = deep * sunk * (1.0 / (n + 1.0)) * engaged * ahead / maximum(abs(ahead), crawl)
    return pull * slip_x - rut, pull * slip_y, fz, -rut
