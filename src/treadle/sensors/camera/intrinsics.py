"""Intrinsics of a camera: focal lengths, principal point and lens distortion (plumb bob, as in OpenCV)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError

__all__ = ["Intrinsics"]


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole with distortion: pixel (u, v) = (fx x' + cx, fy y' + cy), x' = distorted x / z.

    u counts to the right and v down, from 0 at the middle of the upper left pixel. `distortion` is (k1, k2,
    p1, p2, k3). In the sensor's axes, x ahead, y left and z up, a point has x / z = -y / x and y / z = -z /
    x.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (self.width >= 1 and self.height >= 1 and self.fx > 0.0 and self.fy > 0.0):
            raise InputError("a camera has at least one pixel and positive focal lengths in pixels")
        if len(self.distortion) not in (4, 5):
            raise InputError(f"distortion is (k1, k2, p1, p2) or with k3 behind, not {self.distortion}")

    @classmethod
    def from_angle(
        cls, width: int, height: int, angle: float, distortion: tuple[float, ...] = (0.0,) * 5
    ) -> Intrinsics:
        """Square pixels with a horizontal angle of view (rad), without the distortion."""
        if not 0.0 < angle < np.pi:
            raise InputError(f"the angle of view lies between 0 and pi rad, not {angle}")
        f = 0.5 * width / np.tan(0.5 * angle)
        return cls(width, height, f, f, 0.5 * (width - 1), 0.5 * (height - 1), distortion)

    @property
    def matrix(self) -> np.ndarray:
        """The 3 x 3 camera matrix K."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    def distorted(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Normalized image coordinates behind the lens."""
        k1, k2, p1, p2, k3 = (*self.distortion, 0.0)[:5]
        r2 = x * x + y * y
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return (
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        )

    def undistorted(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Normalized coordinates before the lens, by Newton's method with the radial slope."""
        if not any(self.distortion):
            return x, y
        a, b = x, y
        h = 1e-6
        for _ in range(50):
            u, v = self.distorted(a, b)
            ru, rv = x - u, y - v
            if max(np.abs(ru).max(), np.abs(rv).max()) < 1e-13:
                return a, b
            ua, va = self.distorted(a + h, b)
            ub, vb = self.distorted(a, b + h)
            j11, j21, j12, j22 = (ua - u) / h, (va - v) / h, (ub - u) / h, (vb - v) / h
            det = j11 * j22 - j12 * j21
            if not (det > 1e-3).all():
                break
            a, b = a + (j22 * ru - j12 * rv) / det, b + (j11 * rv - j21 * ru) / det
        raise InputError(f"the distortion {self.distortion} folds the image: use smaller coefficients")

    def rays(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Unit vectors (..., 3) in the sensor's axes of image points (pixels)."""
        u, v = np.broadcast_arrays(np.asarray(u, dtype=float), np.asarray(v, dtype=float))
        x, y = self.undistorted((u - self.cx) / self.fx, (v - self.cy) / self.fy)
        rays = np.stack([np.ones_like(x), -x, -y], axis=-1)
        return rays / np.linalg.norm(rays, axis=-1, keepdims=True)

    @cached_property
    def pixel_rays(self) -> np.ndarray:
        """Unit vectors (height, width, 3) through the middles of all pixels."""
        return self.rays(np.arange(self.width)[None, :], np.arange(self.height)[:, None])

    def project(self, points: ArrayLike) -> np.ndarray:
        """Image points (..., 2) in pixels of points (..., 3) in the sensor's axes; nan behind the camera."""
        p = np.asarray(points, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = np.where(p[..., 0] > 0.0, p[..., 0], np.nan)
            x, y = self.distorted(-p[..., 1] / ahead, -p[..., 2] / ahead)
        return np.stack([self.fx * x + self.cx, self.fy * y + self.cy], axis=-1)
