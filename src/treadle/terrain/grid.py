"""An elevation grid: heights at regular points, bilinear between them, with smooth normals.

Normals come from slopes at the points (central differences), interpolated as the heights are, so that they
do not jump between cells. Beyond its border the grid is extrapolated as constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.graph import Scalar, clip, entry, floor, minimum
from treadle.terrain.terrain import Soil, Terrain

__all__ = ["Grid"]

#: Points beyond which a grid would fill the memory of small machines.
MOST_POINTS = 20_000_000


@dataclass(frozen=True, eq=False)
class Grid(Terrain):
    """heights[i, j] (m) at x = origin[0] + i spacing[0], y = origin[1] + j spacing[1]."""

    heights: np.ndarray
    spacing: tuple[float, float] = (1.0, 1.0)
    origin: tuple[float, float] = (0.0, 0.0)
    friction: float = 0.8
    soil: Soil = field(default_factory=Soil)

    def __post_init__(self) -> None:
        heights = np.asarray(self.heights, dtype=float)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InputError(
                f"an elevation grid needs two rows and two columns of heights at least, not {heights.shape}"
            )
        if heights.size > MOST_POINTS:
            raise InputError(
                f"an elevation grid of {heights.size} points is too large; crop it or thin it out to at most "
                f"{MOST_POINTS}"
            )
        bad = np.argwhere(~np.isfinite(heights))
        if len(bad):
            i, j = bad[0].tolist()
            raise InputError(
                f"the elevation grid has {len(bad)} holes (no numbers), the first at row {i}, "
                f"column {j}; fill them, with treadle.terrain.fill_holes for example"
            )
        if not (np.isfinite(self.spacing).all() and min(self.spacing) > 0.0):
            raise InputError(f"the spacing of an elevation grid is two positive lengths, not {self.spacing}")
        object.__setattr__(self, "heights", heights)

    def height(self, x: Any, y: Any) -> Any:
        corner, s, t = self._cell(x, y)
        return self._mixed(corner, s, t, 0)

    def slope(self, x: Any, y: Any) -> tuple[Any, Any]:
        corner, s, t = self._cell(x, y)
        return self._mixed(corner, s, t, 1), self._mixed(corner, s, t, 2)

    @cached_property
    def _numbers(self) -> np.ndarray:
        """Height and slopes of every point, interleaved: they share a cache line."""
        by_x, by_y = np.gradient(self.heights, *self.spacing)
        return np.stack([self.heights, by_x, by_y], axis=-1).ravel()

    @cached_property
    def _table(self) -> tuple[float, ...]:
        """The same for traced code."""
        return tuple(self._numbers.tolist())

    def _cell(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Index of a cell's first corner in the table, and the coordinates of the point within the cell."""
        rows, columns = self.heights.shape
        i, s = _inside((x - self.origin[0]) * (1.0 / self.spacing[0]), rows)
        j, t = _inside((y - self.origin[1]) * (1.0 / self.spacing[1]), columns)
        return i * float(3 * columns) + j * 3.0, s, t

    def _mixed(self, corner: Scalar, s: Scalar, t: Scalar, which: int) -> Scalar:
        """Bilinear interpolation of one of the three numbers at the corners."""
        across = 3 * self.heights.shape[1]
        # a table of a hundred thousand numbers takes milliseconds to become an array
        table: Any = self._numbers if isinstance(corner, np.ndarray) else self._table
        z00, z01, z10, z11 = (
            entry(table, corner + float(shift + which)) for shift in (0, 3, across, across + 3)
        )
        low, high = z00 + t * (z01 - z00), z10 + t * (z11 - z10)
        return low + s * (high - low)

    @property
    def x(self) -> np.ndarray:
        """Where the rows lie (m)."""
        return self.origin[0] + self.spacing[0] * np.arange(self.heights.shape[0])

    @property
    def y(self) -> np.ndarray:
        """Where the columns lie (m)."""
        return self.origin[1] + self.spacing[1] * np.arange(self.heights.shape[1])

    @classmethod
    def at(cls, x: Sequence[float], y: Sequence[float], heights: np.ndarray, **options: object) -> Grid:
        """From the coordinates of rows and columns, which must be evenly spaced."""
        steps = []
        for name, values in (("x", np.asarray(x, float)), ("y", np.asarray(y, float))):
            if len(values) < 2:
                raise InputError(f"an elevation grid needs two values of {name} at least, not {len(values)}")
            gaps = np.diff(values)
            if not (gaps > 0.0).all():
                raise InputError(f"the {name} of an elevation grid must rise from each row to the next")
            if np.ptp(gaps) > 1e-6 * gaps.mean():
                raise InputError(
                    f"the {name} of an elevation grid must be evenly spaced, not {gaps.min():g} to "
                    f"{gaps.max():g} m; resample it, with scipy.interpolate for example"
                )
            steps.append(float(gaps.mean()))
        return cls(heights, (steps[0], steps[1]), (float(x[0]), float(y[0])), **options)  # type: ignore[arg-type]


def _inside(u: Scalar, count: int) -> tuple[Scalar, Scalar]:
    """Index of the cell along one axis, as a whole float, and the place in it from 0 to 1."""
    u = clip(u, 0.0, float(count - 1))
    i = minimum(floor(u), float(count - 2))
    return i, u - i
