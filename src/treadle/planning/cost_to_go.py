"""Cost-to-go on terrain: how far it is to a goal, around what is too steep.

    field = td.cost_to_go(terrain, goal=(4.0, 1.0), low=(-6, -6), high=(6, 6), footprint=0.6, steepest=0.4)
    planner = td.MPPI(model, lambda now: field.height(now.position("body").x, now.position("body").y), ...)

The shortest path over a lattice of 16 neighbours (Dijkstra 1959), whose lengths grow with the slope. A
planner with a short horizon that follows it does not end in the dead ends of the straight distance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.errors import InputError
from treadle.extras import require
from treadle.terrain import Grid, Terrain

__all__ = ["cost_to_go"]

#: To a neighbour: those along axes, along diagonals, and a knight's moves; the others are their opposites.
_MOVES = ((1, 0), (0, 1), (1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1))

#: What a metre costs at the steepest slope that is passed, and what it costs at most.
_STEEP, _MOST = 10.0, 100.0

#: Points beyond which the lattice is a mistake.
_MOST_POINTS = 4_000_000


def cost_to_go(
    terrain: Terrain,
    goal: Sequence[float] | np.ndarray,
    low: Sequence[float] | np.ndarray,
    high: Sequence[float] | np.ndarray,
    *,
    footprint: float,
    steepest: float,
    spacing: float = 0.15,
) -> Grid:
    """Length of the cheapest path to a goal (m), from all points of the rectangle from `low` to `high`.

    It is a `Grid`: `height(x, y)` interpolates it, over traced scalars, too. The slope of a place is the
    difference between the highest and the lowest point within its `footprint` (m), by the footprint. A metre
    costs 1 + 9 (slope / steepest)^4 of level metres, up to 100, so that there is a way from anywhere.
    """
    require("scipy", "cost_to_go")
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    x, y = _axis(low[0], high[0], spacing), _axis(low[1], high[1], spacing)
    if not (low[0] <= goal[0] <= high[0] and low[1] <= goal[1] <= high[1]):
        raise InputError(f"cost_to_go: the goal {tuple(goal)} lies outside of {tuple(low)} to {tuple(high)}")
    if len(x) * len(y) > _MOST_POINTS:
        raise InputError(f"cost_to_go: {len(x)} x {len(y)} points are too many: choose a larger spacing")
    if not (footprint > 0.0 and steepest > 0.0):
        raise InputError("cost_to_go: footprint and steepest must be positive")
    rate = _rates(_slopes(terrain, x, y, footprint), steepest)
    numbers = np.arange(rate.size).reshape(rate.shape)
    begins, ends, lengths = [], [], []
    for move in _MOVES:
        a, b = _shifted(numbers, move)
        begins.append(a.ravel())
        ends.append(b.ravel())
        mean = 0.5 * (rate.ravel()[begins[-1]] + rate.ravel()[ends[-1]])
        lengths.append(np.hypot(move[0] * (x[1] - x[0]), move[1] * (y[1] - y[0])) * mean)
    edges = coo_matrix(
        (np.concatenate(lengths), (np.concatenate(begins), np.concatenate(ends))), (rate.size, rate.size)
    )
    nearest = int(np.abs(x - goal[0]).argmin()) * len(y) + int(np.abs(y - goal[1]).argmin())
    found = dijkstra(edges.tocsr(), directed=False, indices=nearest)
    return Grid.at(x.tolist(), y.tolist(), found.reshape(rate.shape))


def _axis(low: float, high: float, spacing: float) -> np.ndarray:
    if not (np.isfinite([low, high, spacing]).all() and spacing > 0.0 and high - low >= 4.0 * spacing):
        raise InputError(f"cost_to_go: {low:g} to {high:g} m is not four spacings of {spacing:g} m")
    return np.linspace(low, high, round((high - low) / spacing) + 1)


def _slopes(terrain: Terrain, x: np.ndarray, y: np.ndarray, footprint: float) -> np.ndarray:
    """(x, y) difference of heights within a disc, by its diameter."""
    from scipy.ndimage import maximum_filter, minimum_filter

    heights = np.broadcast_to(terrain.height(*np.meshgrid(x, y, indexing="ij")), (len(x), len(y)))
    reach = [int(0.5 * footprint / (axis[1] - axis[0])) for axis in (x, y)]
    i, j = np.meshgrid(*(np.arange(-k, k + 1) for k in reach), indexing="ij")
    disc = np.hypot(i * (x[1] - x[0]), j * (y[1] - y[0])) <= 0.5 * footprint + 1e-9
    return (maximum_filter(heights, footprint=disc) - minimum_filter(heights, footprint=disc)) / footprint


def _rates(slopes: np.ndarray, steepest: float) -> np.ndarray:
    """What a metre costs."""
    return np.minimum(1.0 + (_STEEP - 1.0) * (slopes / steepest) ** 4, _MOST)


def _shifted(numbers: np.ndarray, move: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Points that have a neighbour by a move, and these neighbours."""
    i, j = move
    rows, columns = numbers.shape
    here = numbers[: rows - i, max(0, -j) : columns - max(0, j)]
    there = numbers[i:, max(0, j) : columns - max(0, -j)]
    return here, there
