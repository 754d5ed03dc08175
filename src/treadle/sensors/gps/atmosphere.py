"""Delays of the signal in the atmosphere: Klobuchar's ionosphere and Saastamoinen's troposphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treadle.sensors.gps.constellation import LIGHT

__all__ = ["Klobuchar", "ionosphere_mapping", "saastamoinen"]


@dataclass(frozen=True)
class Klobuchar:
    """Coefficients of the broadcast model: amplitude (s, s/semicircle, ...) and period of a cosine."""

    alpha: tuple[float, float, float, float] = (3.82e-8, 1.49e-8, -1.79e-7, 0.0)
    beta: tuple[float, float, float, float] = (1.43e5, 0.0, -3.28e5, 1.13e5)

    def delay(
        self, latitude: float, longitude: float, azimuth: ArrayLike, elevation: ArrayLike, time: float
    ) -> np.ndarray:
        """Delay (m) at the L1 frequency; latitude, longitude (deg), azimuth, elevation (rad), GPS time (s).

        IS-GPS-200, figure 20-4, which counts angles in semicircles.
        """
        E, A = np.asarray(elevation, dtype=float) / np.pi, np.asarray(azimuth, dtype=float)
        psi = 0.0137 / (E + 0.11) - 0.022
        phi = np.clip(latitude / 180.0 + psi * np.cos(A), -0.416, 0.416)
        lam = longitude / 180.0 + psi * np.sin(A) / np.cos(np.pi * phi)
        magnetic = phi + 0.064 * np.cos(np.pi * (lam - 1.617))
        local = np.remainder(43200.0 * lam + time, 86400.0)
        powers = magnetic[..., None] ** np.arange(4)
        amplitude = np.maximum(powers @ np.array(self.alpha), 0.0)
        period = np.maximum(powers @ np.array(self.beta), 72000.0)
        x = 2.0 * np.pi * (local - 50400.0) / period
        day = amplitude * (1.0 - x**2 / 2.0 + x**4 / 24.0)
        return LIGHT * ionosphere_mapping(elevation) * (5e-9 + np.where(np.abs(x) < 1.57, day, 0.0))


def ionosphere_mapping(elevation: ArrayLike) -> np.ndarray:
    """Delay along a path at an elevation (rad) by that at the zenith, in Klobuchar's model."""
    return 1.0 + 16.0 * (0.53 - np.asarray(elevation, dtype=float) / np.pi) ** 3


def saastamoinen(
    latitude: float, height: float, elevation: ArrayLike, relative_humidity: float = 0.5
) -> np.ndarray:
    """Delay (m) in the standard troposphere at a latitude (deg), height (m) and elevations (rad).

    Saastamoinen's zenith delays of dry air and water vapour, each with Chao's mapping function.
    """
    h = float(np.clip(height, -500.0, 40000.0))
    pressure = 1013.25 * max(1.0 - 2.2557e-5 * h, 0.0) ** 5.2568
    temperature = max(288.16 - 6.5e-3 * h, 180.0)
    vapour = 6.108 * relative_humidity * np.exp((17.15 * temperature - 4684.0) / (temperature - 38.45))
    gravity = 1.0 - 0.00266 * np.cos(2.0 * np.radians(latitude)) - 0.00028e-3 * h
    dry = 0.002277 * pressure / gravity
    wet = 0.002277 * (1255.0 / temperature + 0.05) * vapour
    E = np.maximum(np.asarray(elevation, dtype=float), 1e-3)
    sine, tangent = np.sin(E), np.tan(E)
    return dry / (sine + 0.00143 / (tangent + 0.0445)) + wet / (sine + 0.00035 / (tangent + 0.017))
