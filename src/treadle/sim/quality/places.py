"""Where the links are: points of each, so that a link that only turns has moved too.

A link has its origin and three points about its centre of mass, as far from it as its mass is on average (the
radius of gyration); a frame that is no link, such as a tool, has its origin alone.
"""

from __future__ import annotations

import math

import numpy as np

from treadle.dynamics import compiled
from treadle.model.model import Link, Model

__all__ = ["Places", "distances"]


class Places:
    """Points of all frames of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        links = {link.name: _points(link) for link in model.links}
        rest = np.zeros((4, 3))
        #: in the axes of their frames (frames, 4, 3)
        self._points = np.array([links.get(frame.name, rest) for frame in model.frames]).reshape(-1, 4, 3)

    def at(self, q: np.ndarray) -> np.ndarray:
        """The points in the world (frames, 4, 3) at a position of the machine, in m."""
        poses = compiled.frame_poses(self._model, q)
        return np.einsum("fij,fpj->fpi", poses[:, :3, :3], self._points) + poses[:, None, :3, 3]


def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distance (m; ..., frames) of every frame, at the point of it that is farthest from the other's."""
    return np.linalg.norm(first - second, axis=-1).max(axis=-1, initial=0.0)


def _points(link: Link) -> np.ndarray:
    mass = float(link.mass)  # type: ignore[arg-type]
    points = np.zeros((4, 3))
    if mass > 0.0:
        trace = sum(float(row[k]) for k, row in enumerate(link.rotational.to_rows()))  # type: ignore[arg-type]
        points[1:] = np.array([float(x) for x in link.center])  # type: ignore[arg-type]
        points[1:] += math.sqrt(max(trace, 0.0) / (2.0 * mass)) * np.eye(3)
    return points
