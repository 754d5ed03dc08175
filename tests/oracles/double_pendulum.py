"""Two rigid rods in a vertical plane, by Lagrange's equations written out by hand.

q1 is the first rod's angle from hanging, q2 the second rod's angle to the first.
"""

from math import cos, sin

import numpy as np

__all__ = ["bias", "inertia_matrix"]


def inertia_matrix(q2: float, mass: float, length: float, center: float, inertia: float) -> np.ndarray:
    """M of two equal rods: centre of mass `center` from the upper end, `inertia` about it."""
    outer = inertia + mass * center**2
    coupling = mass * length * center * cos(q2)
    first = inertia + mass * center**2 + mass * length**2 + outer + 2.0 * coupling
    return np.array([[first, outer + coupling], [outer + coupling, outer]])


def bias(
    q: np.ndarray, v: np.ndarray, mass: float, length: float, center: float, gravity: float = 9.81
) -> np.ndarray:
    """Centrifugal and gravity forces C(q, v)."""
    (q1, q2), (v1, v2) = q, v
    pull = mass * length * center * sin(q2)
    outer = mass * gravity * center * sin(q1 + q2)
    inner = mass * gravity * (center + length) * sin(q1)
    return np.array([inner + outer - pull * v2 * (2.0 * v1 + v2), outer + pull * v1**2])
