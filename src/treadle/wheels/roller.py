"""Omni and mecanum wheels: rollers around the rim turn freely, so that force acts along their axles alone.

    a = (cos angle, -sin angle),    f = -clip(grip (v . a), +-friction fz) a - drag v_roller

`angle` is that of the grounded roller's axle from the rolling direction: 0 for an omni wheel, which rolls
sideways freely; +-pi/4 for mecanum wheels, of which those on one diagonal have the same sign.
"""

from __future__ import annotations

import math

from treadle.graph import Scalar, clip
from treadle.wheels.model import WheelContact
from treadle.wheels.normal import bearing, rolling_drag

__all__ = ["roller"]


def roller(
    contact: WheelContact,
    angle: float = 0.0,
    stiffness: float = 1e5,
    damping: float = 5e3,
    grip: float = 1e4,
    roller_drag: float = 0.0,
    rolling_resistance: float = 0.0,
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Grip (N s/m) along the roller's axle, `roller_drag` (N s/m) of its bearing across it."""
    fz = bearing(contact, stiffness, damping)
    limit = contact.friction * fz
    x, y = _axle(angle)
    along = clip(-(grip * (contact.vx * x + contact.vy * y)), -limit, limit)
    across = clip(-(roller_drag * (contact.vy * x - contact.vx * y)), -limit, limit)
    drag = rolling_drag(contact, fz, rolling_resistance)
    return along * x - across * y, along * y + across * x, fz, drag


def _axle(angle: float, **_: float) -> tuple[float, float]:
    """Direction of the grounded roller's axle, along which a parked wheel holds its place."""
    return math.cos(angle), -math.sin(angle)


roller.holds_along = _axle  # type: ignore[attr-defined]
