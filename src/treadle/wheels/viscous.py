"""Force in proportion to slip without any limit: wet ground, or the linear theory of small slip."""

from __future__ import annotations

from treadle.graph import Scalar
from treadle.wheels.model import WheelContact
from treadle.wheels.normal import bearing, rolling_drag

__all__ = ["viscous"]


def viscous(
    contact: WheelContact,
    stiffness: float = 1e5,
    damping: float = 5e3,
    grip: float = 1.0,
    side_grip: float = 1.0,
    rolling_resistance: float = 0.0,
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """fx = -grip fz vx, fy = -side_grip fz vy, with the grips in s/m."""
    fz = bearing(contact, stiffness, damping)
    drag = rolling_drag(contact, fz, rolling_resistance)
    return -(grip * fz * contact.vx), -(side_grip * fz * contact.vy), fz, drag
