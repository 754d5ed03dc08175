"""How the ground carries a wheel: a spring and a damper that push and never pull."""

from __future__ import annotations

from treadle.graph import Scalar, maximum, minimum
from treadle.wheels.model import WheelContact

__all__ = ["bearing", "rolling_drag"]


#: Depth, as a share of the radius, from which the damper acts fully: a force that jumps has no balance.
TOUCHING = 0.01


def bearing(contact: WheelContact, stiffness: Scalar, damping: Scalar) -> Scalar:
    """Normal force max(k depth - d vz, 0) (N), none above the ground."""
    depth = maximum(contact.depth, 0.0)
    engaged = minimum(depth * (1.0 / (TOUCHING * contact.radius)), 1.0)
    return maximum(stiffness * depth - damping * engaged * contact.vz, 0.0)


def rolling_drag(contact: WheelContact, fz: Scalar, resistance: Scalar, smooth: float = 0.01) -> Scalar:
    """Rolling resistance (N) at the wheel's rim against its turning: resistance times fz, smooth at rest."""
    if isinstance(resistance, float) and resistance == 0.0:
        return 0.0
    share = contact.rolling / maximum(abs(contact.rolling), smooth)
    return -(resistance * fz * share)
