"""Tactile sensors: a grid of force cells (taxels) under an elastic skin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from treadle.graph import Scalar
from treadle.model.model import Model, suggest
from treadle.model.sensors import Sensor
from treadle.sensors.contact import contact_force_on
from treadle.sensors.kind import Capture, Channel, Instant, Option
from treadle.sensors.rays.sensor import SEEN, RaySensor

__all__ = ["TactileGrid"]


class TactileGrid(RaySensor):
    """Normal forces (N) of rows x columns cells in the plane x = 0 of its frame, which x points out of.

    The skin is a bed of springs (Winkler): a cell is compressed by c = max(0, skin - gap), with gap the
    distance along x to what lies over its middle, and takes the share c / sum(c) of the contact force on its
    link or shape along -x. Rows go along -z, columns along -y: the grid as one sees it from outside.
    """

    meaning: ClassVar[str] = "forces on a grid of cells under an elastic skin, row by row"
    options: ClassVar = {
        "rows": Option(8, "whole", "cells along z"),
        "columns": Option(8, "whole", "cells along y"),
        "pitch": Option(0.005, "positive", "distance of the middles of cells (m)"),
        "skin": Option(0.002, "positive", "thickness of the skin (m)"),
        "shape": Option(None, "text", "shape whose contact force it shares out; all of its link if absent"),
        "gives": Option("force", "choice", "what it gives", ("force", "compression")),
        **SEEN,
        "role": Option("collision", "choice", "which shapes press", ("visual", "collision", "all")),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        if not (self.parameters["rows"] and self.parameters["columns"]):
            raise ValueError("it has at least one row and one column")
        link = self.sensor.beyond[0] if self.sensor.beyond else None
        self._on = self.parameters["shape"] or link
        shapes = [shape for shape in model.shapes if shape.role == "collision"]
        known = [*{shape.link for shape in shapes if shape.link}, *[shape.name for shape in shapes]]
        if self._on not in known:
            hint = suggest(str(self._on), sorted(known))
            raise ValueError(
                f"it feels a link with collision shapes or such a shape, not {self._on!r}; {hint}"
            )

    def channels(self) -> Sequence[Channel]:
        gives = self.parameters["gives"]
        cells = [
            f"{r}_{c}" for r in range(self.parameters["rows"]) for c in range(self.parameters["columns"])
        ]
        return [Channel(f"{gives}_{cell}", "N" if gives == "force" else "m", gives) for cell in cells]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.parameters["rows"], self.parameters["columns"]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        inward = self.pose(at).rotation.apply_transposed(contact_force_on(str(self._on), at)).x
        return [*super().measure(at), -1.0 * inward]

    @property
    def measured(self) -> int:
        return super().measured + 1

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        view, worlds = self.views(numbers[:-1]), numbers.shape[1]
        R, p = view.sensor[:, :3, :3], view.sensor[:, :3, 3]
        # rays start as far below the surface as the skin is thick
        skin = self.parameters["skin"]
        places = self._cells() - np.array([skin, 0.0, 0.0])
        origins = places @ np.swapaxes(R, 1, 2) + p[:, None]
        ways = np.repeat(R[:, None, :, 0], len(places), axis=1)
        rays = (origins.reshape(-1, 3), ways.reshape(-1, 3))
        hits = self.scene.cast(*rays, 2.0 * skin, self.ignore, view.bodies)
        compression = np.clip(2.0 * skin - hits.distance.reshape(worlds, -1), 0.0, None)
        if self.parameters["gives"] == "compression":
            return compression.T
        total = compression.sum(axis=1)
        share = np.divide(np.maximum(numbers[-1], 0.0), total, out=np.zeros(worlds), where=total > 0.0)
        return (compression * share[:, None]).T

    def _cells(self) -> np.ndarray:
        """Middles of the cells (cells, 3) in the sensor's axes, row by row."""
        rows, columns, pitch = (self.parameters[name] for name in ("rows", "columns", "pitch"))
        z = pitch * (0.5 * (rows - 1) - np.arange(rows))
        y = pitch * (0.5 * (columns - 1) - np.arange(columns))
        grid = np.stack(np.meshgrid(z, y, indexing="ij"), axis=-1).reshape(-1, 2)
        return np.column_stack([np.zeros(len(grid)), grid[:, 1], grid[:, 0]])
