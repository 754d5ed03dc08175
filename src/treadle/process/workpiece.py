"""Workpieces as settings describe them: flat or curved, with a weld bead, from heights or from a mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.values import real_numbers
from treadle.process.surface import Surface
from treadle.process.worked_surface import WorkedSurface

__all__ = ["bead", "workpiece"]


def workpiece(
    position: Sequence[float],
    size: Sequence[float],
    spacing: float = 1e-3,
    radii: Sequence[float] = (0.0, 0.0),
    seam: Mapping[str, float] | None = None,
    heights: ArrayLike | None = None,
    mesh: Any = None,
) -> WorkedSurface:
    """A workpiece whose top has its middle at a position, of a length along x and y (m), in the world's axes.

    `radii` (m) are those of its curvature along x and y, 0 where it is flat. Instead of these there may be
    `heights` over the position (rows along y, columns along x), or a `mesh` in the world's axes, or its file.
    `seam` is a weld bead along y, with a `height` and half its `width` (m).
    """
    x0, y0, z0 = _numbers("position", position, 3)
    length, width = _numbers("size", size, 2)
    real_numbers("workpiece", spacing=spacing)
    if min(length, width, spacing) <= 0.0:
        raise InputError("workpiece: size and spacing must be positive")
    ends = (x0 - 0.5 * length, x0 + 0.5 * length), (y0 - 0.5 * width, y0 + 0.5 * width)
    if mesh is not None:
        surface = Surface.of_mesh(mesh, *ends, spacing)
    elif heights is not None:
        rows = np.asarray(heights, dtype=float)
        x, y = (np.linspace(*end, count) for end, count in zip(ends, rows.shape[::-1], strict=True))
        surface = Surface(x, y, rows + z0)
    else:
        bends = _numbers("radii", radii, 2)
        if any(0.0 < r <= 0.5 * long for r, long in zip(bends, (length, width), strict=True)):
            raise InputError("workpiece: its radii must be more than half its size, or 0 where it is flat")
        surface = Surface.of_function(
            lambda x, y: z0 - _fall(x - x0, bends[0]) - _fall(y - y0, bends[1]), *ends, spacing
        )
    worked = WorkedSurface(surface)
    if seam is not None:
        X, _ = np.meshgrid(surface.x, surface.y)
        worked.fresh += bead(X - x0, **seam)
        worked.heights += bead(X - x0, **seam)
    return worked


def bead(x: ArrayLike, height: float, width: float) -> np.ndarray:
    """Height (m) of a smooth bead at a distance x (m) from its middle: `height` there, 0 from `width` on."""
    share = np.clip(np.abs(np.asarray(x)) / width, 0.0, 1.0)
    return height * 0.5 * (1.0 + np.cos(np.pi * share))


def _fall(x: np.ndarray, radius: float) -> np.ndarray:
    """How far a circle of a radius is below its top at x."""
    return 0.0 * x if radius == 0.0 else radius - np.sqrt(radius**2 - x**2)


def _numbers(name: str, values: Sequence[float], count: int) -> tuple[float, ...]:
    found = tuple(float(x) for x in values)
    if len(found) != count or not np.isfinite(found).all():
        raise InputError(f"workpiece: {name} needs {count} finite numbers")
    return found
