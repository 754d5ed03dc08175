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
