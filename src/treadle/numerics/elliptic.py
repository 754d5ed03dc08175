"""Elliptic integrals: the complete ones, and Carlson's symmetric one of the second kind."""

from __future__ import annotations

from math import pi, sqrt

__all__ = ["carlson_rd", "complete_integrals"]

#: Relative difference of the arguments at which a series of sixth order is exact to rounding.
_CLOSE = 1e-3


def complete_integrals(square: float) -> tuple[float, float]:
    """K and E of the modulus k, given by its square m in [0, 1).

    By the arithmetic-geometric mean of 1 and sqrt(1 - m): K = pi / (2 M), and 1 - E / K is the sum of
    2^(n-1) c_n^2 with c_0^2 = m and c_n the half differences of the means (DLMF 19.8).
    """
    a, b, total, weight = 1.0, sqrt(1.0 - square), 0.5 * square, 1.0
    while abs(a - b) > 1e-15 * a:
        half = 0.5 * (a - b)
        a, b = 0.5 * (a + b), sqrt(a * b)
        total += weight * half * half
        weight *= 2.0
    K = pi / (a + b)
    return K, K * (1.0 - total)


def carlson_rd(x: float, y: float, z: float) -> float:
    """R_D = 3/2 int_0^inf dt / (sqrt(t + x) sqrt(t + y) (t + z)^(3/2)), for x, y >= 0 and z > 0.

    Carlson (1995), *Numerical computation of real or complex elliptic integrals*: the duplication theorem
    until the arguments are close to each other, then a series about their mean.
    """
    total, weight = 0.0, 1.0
    while True:
        mean = 0.2 * (x + y + 3.0 * z)
        if max(abs(mean - x), abs(mean - y), abs(mean - z)) <= _CLOSE * mean:
            break
        shift = sqrt(x) * sqrt(y) + sqrt(y) * sqrt(z) + sqrt(z) * sqrt(x)
        total += weight / (sqrt(z) * (z + shift))
        weight *= 0.25
        x, y, z = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)
    X, Y = 1.0 - x / mean, 1.0 - y / mean
    Z = -(X + Y) / 3.0
    e2, e3 = X * Y - 6.0 * Z * Z, (3.0 * X * Y - 8.0 * Z * Z) * Z
    e4, e5 = 3.0 * (X * Y - Z * Z) * Z * Z, X * Y * Z * Z * Z
    series = (
        1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2
        - 3.0 / 22.0 * e4 - 9.0 / 52.0 * e2 * e3 + 3.0 / 26.0 * e5
    )  # fmt: skip
    return 3.0 * total + weight * series / (mean * sqrt(mean))
