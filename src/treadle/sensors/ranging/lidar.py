"""Lidar: beams over azimuths and elevations, with intensity, divergence, noise and motion distortion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.sensors.ranging.beams import around, cone, directions, split_pose
from treadle.sensors.rays import Hits, RayScene

__all__ = ["Lidar", "LidarScan"]

#: Echoes of one beam that are no more than this apart (m) are one.
_PULSE = 0.3

#: Longest sweep (s).
_LONGEST_SWEEP = 60.0


class LidarScan(NamedTuple):
    """A sweep: arrays (columns, rows), distances infinite and surfaces -1 where nothing came back."""

    distance: np.ndarray
    intensity: np.ndarray
    surface: np.ndarray
    #: (columns, rows, 3) in the sensor's axes at the instant of the column, nan without an echo
    points: np.ndarray
    #: (columns,) seconds since the start of the sweep
    times: np.ndarray


@dataclass(frozen=True)
class Lidar:
    """Beams at `columns` azimuths and `rows` elevations (rad); a 2D lidar has one row.

    Columns are taken one after the other over `sweep` seconds; with 0 all at once. With a `divergence` (half
    angle, rad) a beam is a cone of `footprint` rays, and its distance that of the strongest echo. Intensity
    is the surface's brightness times the cosine of incidence, and falls with the square of the distance
    beyond `reference` (m); beams below `threshold` are lost, and others with the probability `dropout`.
    """

    columns: int = 1024
    rows: int = 64
    azimuth: tuple[float, float] = (-np.pi, np.pi)
    elevation: tuple[float, float] = (np.radians(-25.0), np.radians(15.0))
    range: tuple[float, float] = (0.1, 100.0)
    sweep: float = 0.1
    divergence: float = 0.0
    footprint: int = 7
    stddev: float = 0.0
    dropout: float = 0.0
    reference: float = 10.0
    threshold: float = 0.0
    #: elevations one by one instead of `rows` even ones
    elevations: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not (self.columns >= 1 and self.rows >= 1 and self.footprint >= 1):
            raise InputError("a lidar has at least one column, one row and one ray in its footprint")
        if not (0.0 <= self.range[0] < self.range[1] and self.sweep >= 0.0):
            raise InputError(
                f"a lidar's range is the least and the most distance (m), and its sweep a time, not "
                f"{self.range} and {self.sweep}"
            )
        if self.sweep > _LONGEST_SWEEP:
            raise InputError(f"a lidar's sweep takes at most {_LONGEST_SWEEP:g} s, not {self.sweep:g}")
        if not (0.0 <= self.divergence < 0.5 and 0.0 <= self.dropout <= 1.0 and self.stddev >= 0.0):
            raise InputError(
                "a lidar's divergence is in [0, 0.5) rad, its dropout in [0, 1], its stddev 0 or more"
            )

    @cached_property
    def beams(self) -> np.ndarray:
        """Unit vectors (columns, rows, 3) in the sensor's axes: x ahead, y left, z up."""
        low, high = self.azimuth
        whole = np.isclose(high - low, 2.0 * np.pi)
        a = np.linspace(low, high, self.columns, endpoint=not whole and self.columns > 1)
        return directions(a[:, None], self.elevation_angles[None, :])

    @property
    def elevation_angles(self) -> np.ndarray:
        """Elevations of the rows (rad)."""
        if self.elevations is not None:
            return np.asarray(self.elevations, dtype=float)
        middle = 0.5 * (self.elevation[0] + self.elevation[1])
        return np.linspace(*self.elevation, self.rows) if self.rows > 1 else np.array([middle])

    @cached_property
    def times(self) -> np.ndarray:
        """Seconds (columns,) from the start of a sweep to each column."""
        return np.arange(self.columns) * (self.sweep / self.columns)

    def scan(
        self,
        scene: RayScene,
        pose: ArrayLike,
        ignore: Iterable[str] = (),
        bodies: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
        threads: int = 1,
    ) -> LidarScan:
        """A sweep from a pose (4, 4) of the sensor in the world, or from one per column (columns, 4, 4).

        The bodies stand where the scene has them, or move: `bodies` are their poses per column (columns,
        bodies, 12), see `RayScene.body_poses`. Noise and drop-outs need random numbers `rng`.
        """
        origins, ways, pattern = self._rays(pose)
        hits = scene.cast(origins, ways, self.range[1], ignore, bodies, threads)
        distance, intensity, surface = self._echoes(scene, hits, len(pattern))
        distance, intensity, surface = self._imperfect(distance, intensity, surface, rng)
        with np.errstate(invalid="ignore"):
            points = self.beams * distance[..., None]
        points[~np.isfinite(distance)] = np.nan
        return LidarScan(distance, intensity, surface, points, self.times)

    def _rays(self, pose: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Origins and directions of all rays in the world, column by column, and the pattern of one beam."""
        R, p = split_pose(pose)
        if R.shape not in ((3, 3), (self.columns, 3, 3)):
            raise InputError(f"a lidar's pose is (4, 4), or ({self.columns}, 4, 4) with one per column")
        pattern = cone(self.divergence, self.footprint if self.divergence > 0.0 else 1)
        ways = self.beams
        if len(pattern) > 1:
            ways = around(ways.reshape(-1, 3), pattern).reshape(self.columns, -1, 3)
        turned = ways @ np.swapaxes(np.broadcast_to(R, (self.columns, 3, 3)), 1, 2)
        origins = np.broadcast_to(np.broadcast_to(p, (self.columns, 3))[:, None], turned.shape)
        return origins.reshape(-1, 3), turned.reshape(-1, 3), pattern

    def _echoes(self, scene: RayScene, hits: Hits, rays: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distance, intensity and surface of every beam (columns, rows)."""
        shape = self.beams.shape[:2]
        cosine = np.abs((hits.normal * hits.directions).sum(axis=1))
        bright = np.append(scene.brightness, 0.0)[hits.surface]
        with np.errstate(divide="ignore", invalid="ignore"):
            fading = np.minimum(1.0, (self.reference / hits.distance) ** 2)
        power = np.where(np.isfinite(hits.distance), bright * cosine * fading, 0.0)
        if rays == 1:
            return hits.distance.reshape(shape), power.reshape(shape), hits.surface.reshape(shape)
        distance, power = hits.distance.reshape(-1, rays), power.reshape(-1, rays)
        # of the echoes at nearly the same distance, those with the most power together
        with np.errstate(invalid="ignore"):
            near = np.abs(distance[:, :, None] - distance[:, None, :]) <= _PULSE
        together = np.einsum("nij,nj->ni", near, power)
        pick = np.arange(len(power)), together.argmax(axis=1)
        close = near[pick]
        weight = np.where(close, power, 0.0)
        total = weight.sum(axis=1)
        with np.errstate(invalid="ignore"):
            mean = (weight * np.where(close, distance, 0.0)).sum(axis=1) / total
        surface = hits.surface.reshape(-1, rays)[pick]
        found = total > 0.0
        return (
            np.where(found, mean, np.inf).reshape(shape),
            (total / rays).reshape(shape),
            np.where(found, surface, -1).reshape(shape),
        )

    def _imperfect(
        self,
        distance: np.ndarray,
        intensity: np.ndarray,
        surface: np.ndarray,
        rng: np.random.Generator | None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Apply range limits, the threshold, drop-outs and noise."""
        lost = ~np.isfinite(distance) | (distance < self.range[0]) | (intensity < self.threshold)
        if rng is not None:
            lost |= rng.random(distance.shape) < self.dropout
            distance = distance + self.stddev * rng.standard_normal(distance.shape)
        return np.where(lost, np.inf, distance), np.where(lost, 0.0, intensity), np.where(lost, -1, surface)
