"""A body that floats, and a spinning top."""

import numpy as np

__all__ = ["euler", "precession_rate", "symmetric_spin"]


def euler(inertia: np.ndarray, omega: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """Euler's equations about the centre of mass, in body axes: dw/dt = I^-1 (torque - w x I w)."""
    return np.linalg.solve(inertia, torque - np.cross(omega, inertia @ omega))


def symmetric_spin(across: float, along: float, omega: np.ndarray, time: float) -> np.ndarray:
    """Body-axes angular velocity of a torque-free body with moments (across, across, along).

    The part across the axis turns at the rate (along - across) / across * w_z.
    """
    angle = (along - across) / across * omega[2] * time
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = omega
    return np.array([c * x - s * y, s * x + c * y, z])


def precession_rate(weight: float, distance: float, along: float, spin: float) -> float:
    """Steady precession of a top whose axis is horizontal, held at a point of its axis: m g d / (I_z s)."""
    return weight * distance / (along * spin)
