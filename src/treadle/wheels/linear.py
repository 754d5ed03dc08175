"""Slip in proportion to force, up to a box of Coulomb friction: the model of game engines."""

from __future__ import annotations

from treadle.graph import Scalar, clip
from treadle.wheels.model import WheelContact
from treadle.wheels.normal import bearing, rolling_drag

__all__ = ["linear"]


def linear(
    contact: WheelContact,
    stiffness: float = 1e5,
    damping: float = 5e3,
    grip: float = 1e4,
    side_grip: float = 1e4,
    rolling_resistance: float = 0.0,
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """fx = -grip vx and fy = -side_grip vy (N s/m), each within +-friction fz, over a spring and damper."""
    fz = bearing(contact, stiffness, damping)
    limit = contact.friction * fz
    return (
        clip(-(grip * contact.vx), -limit, limit),
        clip(-(side_grip * contact.vy), -limit, limit),
        fz,
        rolling_drag(contact, fz, rolling_resistance),
    )
