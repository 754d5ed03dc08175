"""Waves on deep water, by linear (Airy) theory: elevation, and velocity and acceleration of the fluid.

Each wave has an amplitude a (m), a frequency w (rad/s), a direction (rad, from x to y) and a phase (rad):

    eta = a cos(theta),    theta = k (x cos + y sin) - w t + phase,    k = w^2 / g
    horizontal velocity  a w e^(k z) cos(theta),    vertical  a w e^(k z) sin(theta)

with the height z above the mean surface, at most zero. The acceleration is that of a particle of the water.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from treadle.graph import Scalar, cos, exp, minimum, sin
from treadle.spatial import Mat3, Vec3

__all__ = ["WaterMotion", "wave_motion"]


class WaterMotion(NamedTuple):
    """Elevation (m) and its slope along x and y, velocity (m/s) and acceleration (m/s2) of the fluid."""

    elevation: Scalar
    slope: tuple[Scalar, Scalar]
    velocity: Vec3
    acceleration: Vec3


def wave_motion(
    waves: Sequence[Sequence[Scalar]], gravity: float, place: Vec3, height: Scalar, time: Scalar
) -> WaterMotion:
    """Sum of all waves at a place in the world, at a height (m) above the mean surface."""
    elevation: Scalar = 0.0
    slope: list[Scalar] = [0.0, 0.0]
    velocity, acceleration, gradient = Vec3(), Vec3(), Mat3.zero()
    below = minimum(height, 0.0)
    for amplitude, frequency, direction, phase in waves:
        k = frequency * frequency / gravity
        x, y = math.cos(direction), math.sin(direction)  # type: ignore[arg-type]
        theta = k * (x * place.x + y * place.y) - frequency * time + phase
        c, s = cos(theta), sin(theta)
        elevation = elevation + amplitude * c
        steep = -(amplitude * k) * s
        slope = [slope[0] + x * steep, slope[1] + y * steep]
        speed = amplitude * frequency * exp(k * below)
        rate = frequency * speed
        velocity = velocity + Vec3(x * c, y * c, s) * speed
        acceleration = acceleration + Vec3(x * s, y * s, -c) * rate
        along, across = (k * speed) * c, (k * speed) * s
        rows = ((-x * x, -x * y, 0.0), (-x * y, -y * y, 0.0), (0.0, 0.0, 1.0))
        gradient = gradient + Mat3.of([[across * g for g in row] for row in rows])
        gradient = gradient + Mat3(
            Vec3(0.0, 0.0, x * along), Vec3(0.0, 0.0, y * along), Vec3(x * along, y * along)
        )
    return WaterMotion(elevation, (slope[0], slope[1]), velocity, acceleration + gradient.apply(velocity))
