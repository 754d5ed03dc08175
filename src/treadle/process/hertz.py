"""Hertz's contact of two smooth bodies in closed form, elliptic areas too. Johnson (1985), section 4.2."""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

from treadle.numerics.elliptic import complete_integrals
from treadle.numerics.root import bracketed_root

__all__ = ["HertzContact", "hertz_contact"]


class HertzContact(NamedTuple):
    """Force (N), largest pressure (Pa), and half axes (m) of the area, across the larger curvature last."""

    force: float
    pressure: float
    half_axes: tuple[float, float]


def hertz_contact(modulus: float, curvatures: tuple[float, float], approach: float) -> HertzContact:
    """The contact of effective modulus E* (Pa) and relative curvatures (1/m) at an approach (m).

    With half axes a >= b, e^2 = 1 - b^2/a^2 and the complete elliptic integrals K(e), E(e):

        A/B = (b/a)^2 (K - E) / (E - (b/a)^2 K) for the halves A <= B of the curvatures,
        approach = p0 b K / E*,   A = p0 b (K - E) / (E* e^2 a^2),   F = 2 pi p0 a b / 3
    """
    low, high = sorted(0.5 * k for k in curvatures)
    if high - low < 1e-9 * high:
        radius = 0.5 / high
        pressure = 2.0 * modulus / pi * sqrt(approach / radius)
        half = sqrt(radius * approach)
        return HertzContact(2.0 / 3.0 * pi * pressure * half**2, pressure, (half, half))

    def gap(square: float) -> float:
        K, E = complete_integrals(square)
        return (1.0 - square) * (K - E) / (E - (1.0 - square) * K) - low / high

    square = bracketed_root(gap, 1e-9, 1.0 - 1e-12, 1e-15)
    K, E = complete_integrals(square)
    # p0 b = approach E*/K; from the equation of A: a^2 = p0 b (K - E) / (E* e^2 A)
    strength = approach / K
    a = sqrt(strength * (K - E) / (square * low))
    b = a * sqrt(1.0 - square)
    pressure = strength * modulus / b
    return HertzContact(2.0 / 3.0 * pi * pressure * a * b, pressure, (a, b))
