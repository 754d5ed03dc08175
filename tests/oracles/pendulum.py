"""A rigid body on a horizontal hinge."""

from math import sin, sqrt

from scipy.special import ellipk

__all__ = ["acceleration", "period"]


def acceleration(angle: float, mass: float, distance: float, inertia: float, gravity: float = 9.81) -> float:
    """Angular acceleration at an angle from hanging: -m g d sin(angle) / (I_c + m d^2)."""
    return -mass * gravity * distance * sin(angle) / (inertia + mass * distance**2)


def period(amplitude: float, mass: float, distance: float, inertia: float, gravity: float = 9.81) -> float:
    """Time of a full swing, T = 4 K(sin(amplitude/2)) / w0 with the complete elliptic integral K."""
    small = sqrt(mass * gravity * distance / (inertia + mass * distance**2))
    return 4.0 * float(ellipk(sin(amplitude / 2) ** 2)) / small
