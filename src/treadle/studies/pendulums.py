"""Pendulums of one, two and three point masses, and their motion by an independent formulation.

The first is the benchmark A01 of the IFToMM library: 1 kg on a massless rod of 1 m, released from rest at the
horizontal. The others have as many such rods one below the other, released in a straight line.
"""

from __future__ import annotations

from math import pi

import numpy as np

from treadle.model import ModelSpec
from treadle.model.model import Model

__all__ = ["G", "absolute_angles", "pendulum_start", "point_pendulum", "reference_angles"]

#: Acceleration of gravity (m/s^2).
G = 9.81


def point_pendulum(masses: int) -> Model:
    """Unit masses on massless unit rods, hinged about y."""
    spec = ModelSpec(f"pendulum of {masses}")
    for number in range(masses):
        spec.add_body(f"bob{number}", mass=1.0, center=(0.0, 0.0, -1.0), inertia=(0.0, 0.0, 0.0))
        spec.add_joint(
            f"hinge{number}",
            "revolute",
            f"bob{number - 1}" if number else None,
            f"bob{number}",
            axis=(0.0, 1.0, 0.0),
            position=(0.0, 0.0, -1.0 if number else 0.0),
        )
    return spec.compile()


def pendulum_start(masses: int) -> list[float]:
    """Joint angles of the straight line at the horizontal."""
    return [pi / 2, *[0.0] * (masses - 1)]


def absolute_angles(q: np.ndarray) -> np.ndarray:
    """Angles of the rods from hanging, from those of the joints."""
    return np.cumsum(q)


def reference_angles(masses: int, times: np.ndarray) -> np.ndarray:
    """Angles of the rods from hanging (masses, times), from Lagrange's equations in these angles.

    sum_j m_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) = -m_ii g sin(a_i), m_ij the masses below both;
    integrated by scipy, to rounding.
    """
    from scipy.integrate import solve_ivp

    index = np.arange(masses)
    below = masses - np.maximum(index[:, None], index[None, :]).astype(float)

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        angle, speed = state[:masses], state[masses:]
        between = angle[:, None] - angle[None, :]
        force = -(below * np.sin(between)) @ speed**2 - below.diagonal() * G * np.sin(angle)
        return np.concatenate([speed, np.linalg.solve(below * np.cos(between), force)])

    start = np.concatenate([np.full(masses, pi / 2), np.zeros(masses)])
    solution = solve_ivp(rate, (0.0, float(times[-1])), start, "DOP853", t_eval=times, rtol=3e-14, atol=1e-14)
    return solution.y[:masses]
