"""Rigid wheel in loose soil: stresses under the wheel, integrated. Ishigami et al. (2007).

Angles count from straight down, forward positive. The wheel enters the soil at tf = acos(1 - h / r), leaves
it at -tr = -acos(1 - k h / r); the pressure is highest at tm = (a0 + a1 s) tf:

    sigma = r^n (kc / b + kphi) (cos t - cos tf)^n                     for t > tm
    tau = (c + sigma tan phi) (1 - exp(-j / K)),    j = |(jx, jy)|
    jx = r (tf - t - (1 - s)(sin tf - sin t)),      jy = r (tf - t) vy / u

where behind tm the pressure falls as it rose before it, s is the slip ratio and u the faster of the wheel's
rim and its centre. Shear acts along (jx, jy): on the rim. Pressure points at the axle: what of it holds the
wheel back is no torque about the axle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.graph import Scalar, acos, cos, exp, maximum, sin, sqrt
from treadle.terrain import Soil

__all__ = ["soil_forces"]

#: Sinkage, as a share of the radius, beyond which the soil is as at that.
DEEPEST = 0.8

_NODES, _WEIGHTS = (x.tolist() for x in np.polynomial.legendre.leggauss(8))


def soil_forces(
    slip: Scalar, across: Scalar, sinkage: Scalar, radius: float, width: float, soil: Soil
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Thrust of the shear, resistance of the pressure, force against slip across, and bearing force (N).

    `across` is vy / u, not negative; the sinkage (m) is positive and at most DEEPEST radii.
    """
    front = acos(1.0 - sinkage * (1.0 / radius))
    back = -acos(1.0 - sinkage * (soil.rebound / radius))
    middle = (soil.peak[0] + soil.peak[1] * slip) * front
    total: list[Scalar] = [0.0, 0.0, 0.0, 0.0]
    for low, high, ahead in ((middle, front, True), (back, middle, False)):
        half = 0.5 * (high - low)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            angle = low + half * (1.0 + node)
            # the angle ahead of the middle at which the pressure is the same
            mirrored = angle if ahead else front - (angle - back) / (middle - back) * (front - middle)
            pressure = _pressure(mirrored, front, radius, width, soil)
            shares = _stresses(angle, front, pressure, slip, across, radius, soil)
            scale = half * (weight * radius * width)
            total = [a + scale * b for a, b in zip(total, shares, strict=True)]
    return total[0], total[1], total[2], total[3]


def _pressure(angle: Scalar, front: Scalar, radius: float, width: float, soil: Soil) -> Scalar:
    stiffness = soil.cohesive_modulus / width + soil.frictional_modulus
    depth = maximum(cos(angle) - cos(front), 0.0) * radius
    return stiffness * (depth if soil.exponent == 1.0 else maximum(depth, 1e-12) ** soil.exponent)


def _stresses(
    angle: Scalar,
    front: Scalar,
    pressure: Scalar,
    slip: Scalar,
    across: Scalar,
    radius: float,
    soil: Soil,
) -> Sequence[Scalar]:
    """Per area: thrust, resistance, force across and bearing."""
    way = front - angle
    jx = radius * (way - (1.0 - slip) * (sin(front) - sin(angle)))
    jy = radius * way * across
    j = sqrt(jx * jx + jy * jy + 1e-18)
    strength = soil.cohesion + pressure * float(np.tan(soil.friction_angle))
    shear = strength * (1.0 - exp(-(j * (1.0 / soil.shear_modulus)))) / j
    thrust = shear * jx
    return (
        thrust * cos(angle),
        pressure * sin(angle),
        shear * jy,
        thrust * sin(angle) + pressure * cos(angle),
    )
