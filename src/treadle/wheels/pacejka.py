"""Pneumatic tyres: Pacejka's formula, combined slip by Nicolas and Comstock. Brach and Brach (2009).

    s = -vx / |V|,    tan(a) = vy / |V|,    V = vx + rolling
    Q(u) = D sin(C atan(B (1 - E) K u + E atan(B K u)))
    q = |Qx Qy| / sqrt(s^2 Qy^2 + tan(a)^2 Qx^2),    fx = q s mu fz,    fy = -q tan(a) mu fz

with Qx = Q(s) and Qy = Q(2 a / pi), each of its own coefficients. That combination is as published: where one
slip vanishes the slope of the other is kx ky / sqrt(kx^2 + ky^2), less than its own. Below `crawl` the speed
V stands still in the slips, which makes the tyre a damper there.
"""

from __future__ import annotations

import math

from treadle.graph import Scalar, atan, maximum, sin, sqrt
from treadle.wheels.model import WheelContact
from treadle.wheels.normal import bearing, rolling_drag

__all__ = ["pacejka"]

#: Slips below this are none.
_SMALL = 1e-8


def pacejka(
    contact: WheelContact,
    stiffness: float = 1e5,
    damping: float = 5e3,
    crawl: float = 0.05,
    stiffness_factor: float = 1.0 / 15.0,
    shape: float = 1.5,
    peak: float = 1.0,
    curvature: float = 0.3,
    side_stiffness_factor: float = 8.0 / 75.0,
    side_shape: float = 1.5,
    side_peak: float = 1.0,
    side_curvature: float = 0.6,
    gain: float = 100.0,
    rolling_resistance: float = 0.0,
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Force of a tyre: B, C, D, E are stiffness_factor, shape, peak and curvature each way, K is gain."""
    fz = bearing(contact, stiffness, damping)
    speed = maximum(abs(contact.vx + contact.rolling), crawl)
    slip, tangent = -(contact.vx / speed), contact.vy / speed
    s, t = maximum(abs(slip), _SMALL), maximum(abs(tangent), _SMALL)
    along = _formula(s, gain, stiffness_factor, shape, peak, curvature)
    side = (2.0 / math.pi) * atan(t)
    across = _formula(side, gain, side_stiffness_factor, side_shape, side_peak, side_curvature)
    a, b = s * across, t * along
    share = along * across / sqrt(a * a + b * b)
    pressed = contact.friction * fz * share
    return slip * pressed, -(tangent * pressed), fz, rolling_drag(contact, fz, rolling_resistance)


def _formula(u: Scalar, K: float, B: float, C: float, D: float, E: float) -> Scalar:
    x = B * K * u
    return D * sin(C * atan((1.0 - E) * x + E * atan(x)))
