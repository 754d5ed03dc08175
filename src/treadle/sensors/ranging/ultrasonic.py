"""Ultrasonic range finder: the nearest echo within a cone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.sensors.ranging.beams import cone, split_pose
from treadle.sensors.rays import RayScene

__all__ = ["Ultrasonic"]


@dataclass(frozen=True)
class Ultrasonic:
    """A cone about the sensor's x axis, sampled by `rays`, with a range (m) of least and most distance.

    Smooth walls reflect sound like mirrors: surfaces at more than `incidence` (rad) to the ray send nothing
    back. A range finder is one with a single ray that any surface reflects (`half_angle=0`).
    """

    half_angle: float = np.radians(15.0)
    rays: int = 64
    range: tuple[float, float] = (0.02, 4.0)
    incidence: float = np.radians(35.0)

    def __post_init__(self) -> None:
        if not (0.0 <= self.half_angle < 0.5 * np.pi and self.rays >= 1):
            raise InputError("a cone has a half angle in [0, pi/2) rad and at least one ray")
        if not 0.0 <= self.range[0] < self.range[1]:
            raise InputError(f"the range is the least and the most distance (m), not {self.range}")

    def measure(self, scene: RayScene, pose: ArrayLike, ignore: Iterable[str] = ()) -> float:
        """The distance (m) of the nearest echo for a pose (4, 4) of the sensor; infinite without one."""
        R, p = split_pose(pose)
        hits = scene.cast(p, cone(self.half_angle, self.rays) @ R.T, self.range[1], ignore)
        return float(self.echo(hits.distance, -(hits.normal * hits.directions).sum(axis=1)))

    def echo(self, distance: np.ndarray, cosine: np.ndarray) -> np.ndarray:
        """The nearest of distances (..., rays) whose surfaces reflect, given cosines of the incidence."""
        heard = (distance >= self.range[0]) & (distance <= self.range[1])
        if self.half_angle > 0.0:
            heard &= cosine >= np.cos(self.incidence)
        return np.where(heard, distance, np.inf).min(axis=-1)
