"""Impulses of dry friction: those that stop the slip, or the best ones within the cone."""

from __future__ import annotations

from math import sqrt

from treadle.native.kernels import kernel

__all__ = ["DEAF", "in_cone"]

#: A row that answers less than this to its own impulse (1/kg, 1/(kg m2)) is held by something else.
DEAF = 1e-14

#: Rounds of Newton's method on a cone, and how well it has to be met.
_ROUNDS, _CONE = 30, 1e-14


@kernel()
def in_cone(a, c, d, b_i, b_j, mu_i, mu_j, radius):
    """Impulses p with ((a, c), (c, d)) p = b if the cone has them, else those that leave the least slip.

    Lengths count in units of the coefficients, so that the cone is round: p = mu q, |q| <= radius.
    """
    a, c, d = a * mu_i * mu_i, c * mu_i * mu_j, d * mu_j * mu_j
    if radius <= 0.0 or a + d <= DEAF:
        return 0.0, 0.0
    q_i, q_j = _in_disk(a, c, d, mu_i * b_i, mu_j * b_j, radius)
    return mu_i * q_i, mu_j * q_j


@kernel()
def _in_disk(a, c, d, b_i, b_j, radius):
    """q with ((a, c), (c, d)) q = b if it is that short, else the best one of length `radius`.

    There (A + s I) q = b for some s > 0; |q| falls with s, and 1/|q| is all but linear in it.
    """
    # a little of it from the start: the matrix may be singular
    s = 1e-13 * (a + d)
    q_i, q_j, length = 0.0, 0.0, 1.0
    for _ in range(_ROUNDS):
        determinant = (a + s) * (d + s) - c * c
        q_i = ((d + s) * b_i - c * b_j) / determinant
        q_j = ((a + s) * b_j - c * b_i) / determinant
        length = sqrt(q_i * q_i + q_j * q_j)
        if length <= radius * (1.0 + _CONE):
            return q_i, q_j
        # -d|q|/ds |q| = q . (A + s I)^-1 q
        slope = ((d + s) * q_i * q_i - 2.0 * c * q_i * q_j + (a + s) * q_j * q_j) / determinant
        s += (length - radius) / radius * length * length / slope
    return q_i * radius / length, q_j * radius / length
