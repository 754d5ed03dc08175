"""Multipath: signals that arrive over one reflection at a wall, and what they do to a pseudorange.

Walls are flat triangles. The reflection at one is found by the mirror image of the receiver: it lies where
the mirrored direction to the satellite meets the triangle, provided that nothing blocks either leg. Its path
is longer by 2 h (n . s), h the receiver's distance from the wall's plane, n its normal, s the direction of
the satellite.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

__all__ = ["CHIP", "WAVELENGTH", "Obstacles", "Reflections", "find_reflections", "tracking_error"]

#: Length of a chip of the C/A code, and wavelength of L1 (m).
CHIP, WAVELENGTH = 299792458.0 / 1.023e6, 299792458.0 / 1575.42e6

#: How far a ray starts from the wall that it leaves (m).
_CLEARANCE = 1e-4


class Obstacles(Protocol):
    """What blocks and reflects signals; a `RayScene` is one."""

    def occluded(self, origins: np.ndarray, directions: np.ndarray, limit: np.ndarray | float) -> np.ndarray:
        """Whether each ray (n, 3) hits something before its limit (m)."""
        ...

    def fixed_triangles(self) -> np.ndarray:
        """Corners (m, 3, 3) of all flat faces that do not move, in the world (m)."""
        ...


class Reflections(NamedTuple):
    """Reflected signals at one moment: the satellite's index, the longer path (m), and where it reflects."""

    satellite: np.ndarray
    delay: np.ndarray
    point: np.ndarray


def find_reflections(
    position: np.ndarray, directions: np.ndarray, walls: np.ndarray, obstacles: Obstacles
) -> Reflections:
    """First-order reflections from walls (m, 3, 3) of signals from world directions (s, 3) at a position."""
    corner = walls[:, 0]
    first, second = walls[:, 1] - corner, walls[:, 2] - corner
    normal = np.cross(first, second)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    height = ((position - corner) * normal).sum(axis=1)
    normal, height = normal * np.sign(height)[:, None], np.abs(height)
    slope = directions @ normal.T
    delay = 2.0 * height * slope
    # beyond one and a half chips a reflection does nothing
    satellite, wall = np.nonzero((slope > 1e-6) & (height > _CLEARANCE) & (delay < 1.5 * CHIP))
    n, s = normal[wall], directions[satellite]
    c = slope[satellite, wall]
    away = s - 2.0 * c[:, None] * n
    length = height[wall] / c
    point = position + length[:, None] * away
    inside = _within(point, corner[wall], first[wall], second[wall])
    satellite, wall, point, away, length, n, s = (
        item[inside] for item in (satellite, wall, point, away, length, n, s)
    )
    start = point + _CLEARANCE * n
    origin = np.broadcast_to(position, point.shape)
    clear = ~obstacles.occluded(origin, away, length * (1.0 - 1e-9) - 2.0 * _CLEARANCE)
    clear &= ~obstacles.occluded(start, s, np.inf)
    return Reflections(satellite[clear], delay[satellite[clear], wall[clear]], point[clear])


def _within(point: np.ndarray, corner: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether points of the triangles' planes lie inside them, by barycentric coordinates."""
    gap = point - corner
    a, b, c = (first * first).sum(1), (first * second).sum(1), (second * second).sum(1)
    d, e = (gap * first).sum(1), (gap * second).sum(1)
    determinant = a * c - b * b
    u, v = (c * d - b * e) / determinant, (a * e - b * d) / determinant
    return (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)


def tracking_error(delay: np.ndarray, amplitude: float, spacing: float) -> np.ndarray:
    """Error (m) of a code loop for a reflection of some amplitude relative to the direct signal.

    Coherent early-late discriminator with its correlators `spacing` chips apart: linear in the delay at
    first, then constant, then falling to zero at 1 + spacing / 2 chips.
    """
    share = amplitude * np.cos(2.0 * np.pi * delay / WAVELENGTH + np.pi)
    rising = delay / (1.0 + share)
    falling = np.maximum((1.0 + 0.5 * spacing) * CHIP - delay, 0.0) / (2.0 - share)
    return share * np.minimum(np.minimum(rising, 0.5 * spacing * CHIP), falling)
