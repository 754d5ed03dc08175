"""Ground given as heights over a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import ModelError

__all__ = ["HeightField"]

_UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class HeightField:
    """Ground fixed to the world: heights (rows along y, columns along x) in metres over a rectangle.

    `size` are its lengths along x and y, `position` is its middle at height 0. Every cell of the grid is two
    triangles that share the diagonal from its lowest x and y. It is solid to `depth` below its lowest point.
    """

    name: str
    heights: np.ndarray
    size: tuple[float, float]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    material: str | None = None
    depth: float = 1.0

    def __init__(
        self,
        name: str,
        heights: ArrayLike,
        size: tuple[float, float],
        position: tuple[float, float, float] = (0.0, 0.0, 0.0),
        material: str | None = None,
        depth: float = 1.0,
    ) -> None:
        grid = np.ascontiguousarray(heights, dtype=float)
        element = f'height field "{name}"'
        if grid.ndim != 2 or min(grid.shape) < 2:
            hint = "give at least two rows and two columns"
            raise ModelError(f"its heights have the shape {grid.shape}", element=element, hint=hint)
        if not (np.isfinite(grid).all() and np.isfinite(position).all()):
            raise ModelError("holds a number that is not finite", element=element, hint="check its data")
        if not (len(size) == 2 and min(size) > 0.0 and depth > 0.0 and np.isfinite([*size, depth]).all()):
            hint = "give two positive lengths, and a positive depth"
            raise ModelError(f"its size is {size} and its depth {depth}", element=element, hint=hint)
        for field, value in zip(
            ("name", "heights", "size", "position", "material", "depth"),
            (name, grid, tuple(size), tuple(position), material, float(depth)),
        ):
            object.__setattr__(self, field, value)

    @property
    def pose(self) -> tuple[float, ...]:
        """Rotation by rows and position in the world."""
        return (*_UPRIGHT, *self.position)

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Its points (n, 3) about its middle and its triangles (m, 3)."""
        rows, columns = self.heights.shape
        x = np.linspace(-0.5 * self.size[0], 0.5 * self.size[0], columns)
        y = np.linspace(-0.5 * self.size[1], 0.5 * self.size[1], rows)
        points = np.stack([*np.meshgrid(x, y), self.heights], axis=-1).reshape(-1, 3)
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1, 1)
        lower, upper = (0, 1, columns + 1), (0, columns + 1, columns)
        return points, np.concatenate([corner + lower, corner + upper])
