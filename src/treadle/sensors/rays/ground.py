"""Rays against an elevation grid: bilinear patches, found through a pyramid of highest points.

The ray walks from cell to cell of the pyramid and goes down a level only where it may be below the highest
point of a cell (maximum mipmaps, Tevs, Ihrke and Seidel, 2008). Cells are counted in whole numbers, so that
rounding skips none.
"""

from __future__ import annotations

from math import floor, inf, sqrt

import numpy as np

from treadle.native.kernels import inner

__all__ = ["ground_crossing", "ground_normal", "height_pyramid"]


def height_pyramid(heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Highest points of cells on all levels, one after the other, and (levels, 3) of start, rows, columns.

    A cell of level L spans 2^L cells of the grid along both axes.
    """
    cells = np.maximum(
        np.maximum(heights[:-1, :-1], heights[1:, :-1]), np.maximum(heights[:-1, 1:], heights[1:, 1:])
    )
    levels, table, start = [], [], 0
    while True:
        levels.append(cells.ravel())
        table.append((start, *cells.shape))
        start += cells.size
        if max(cells.shape) == 1:
            return np.concatenate(levels), np.array(table, dtype=np.int64)
        rows, columns = cells.shape
        padded = np.full((rows + rows % 2, columns + columns % 2), -np.inf)
        padded[:rows, :columns] = cells
        cells = padded.reshape(padded.shape[0] // 2, 2, -1, 2).max(axis=(1, 3))


@inner()
def ground_crossing(heights, frame, highest, table, ox, oy, oz, dx, dy, dz, limit):
    """Distance at which a ray meets the grid within the limit, infinite if it does not.

    `frame` is (x, y) of the first point and the spacing along x and y.
    """
    rows, columns = heights.shape[0] - 1, heights.shape[1] - 1
    # in cells of the grid
    x, y, vx, vy = (ox - frame[0]) / frame[2], (oy - frame[1]) / frame[3], dx / frame[2], dy / frame[3]
    start, stop = 0.0, limit
    for k in range(2):
        p, v, size = (x, vx, float(rows)) if k == 0 else (y, vy, float(columns))
        if v == 0.0:
            if p < 0.0 or p > size:
                return inf
        else:
            t, u = -p / v, (size - p) / v
            start, stop = max(start, min(t, u)), min(stop, max(t, u))
    if not start <= stop:
        return inf
    i = min(max(floor(x + start * vx), 0), rows - 1)
    j = min(max(floor(y + start * vy), 0), columns - 1)
    top = len(table) - 1
    level, t = top, start
    while True:
        a, b = i >> level, j >> level
        # where the ray leaves this cell
        to_x, to_y = inf, inf
        if vx != 0.0:
            to_x = (((a + 1) << level) - x) / vx if vx > 0.0 else ((a << level) - x) / vx
        if vy != 0.0:
            to_y = (((b + 1) << level) - y) / vy if vy > 0.0 else ((b << level) - y) / vy
        leave = min(to_x, to_y, stop)
        lowest = min(oz + t * dz, oz + leave * dz)
        if lowest <= highest[table[level, 0] + a * table[level, 2] + b]:
            if level > 0:
                level -= 1
                continue
            found = _patch(heights, i, j, x, y, oz, vx, vy, dz, t, leave)
            if found < inf:
                return found if found <= limit else inf
        if leave >= stop:
            return inf
        t = max(t, leave)
        if to_x <= to_y:
            i = ((a + 1) << level) if vx > 0.0 else (a << level) - 1
            if i < 0 or i >= rows:
                return inf
            j = min(max(floor(y + t * vy), b << level), ((b + 1) << level) - 1, columns - 1)
        else:
            j = ((b + 1) << level) if vy > 0.0 else (b << level) - 1
            if j < 0 or j >= columns:
                return inf
            i = min(max(floor(x + t * vx), a << level), ((a + 1) << level) - 1, rows - 1)
        level = min(level + 1, top)


@inner()
def _patch(heights, i, j, x, y, z, vx, vy, vz, start, stop):
    """The first crossing of a bilinear patch between two distances: a quadratic equation."""
    h00, h01 = heights[i, j], heights[i, j + 1]
    h10, h11 = heights[i + 1, j], heights[i + 1, j + 1]
    s, r = x - i, y - j
    bx, by, mixed = h10 - h00, h01 - h00, h11 - h10 - h01 + h00
    # height of the ray above the patch: a t^2 + b t + c
    a = -mixed * vx * vy
    b = vz - bx * vx - by * vy - mixed * (s * vy + r * vx)
    c = z - h00 - bx * s - by * r - mixed * s * r
    slack = 1e-12 * (1.0 + abs(stop))
    # about the start, where numbers are small
    c += start * (b + a * start)
    b += 2.0 * a * start
    span = stop - start
    if a == 0.0:
        t = -c / b if b != 0.0 else -1.0
        return start + t if -slack <= t <= span + slack and start + t >= 0.0 else inf
    root = b * b - 4.0 * a * c
    if root < 0.0:
        return inf
    q = -0.5 * (b + (sqrt(root) if b > 0.0 else -sqrt(root)))
    t, u = q / a, (c / q if q != 0.0 else 0.0)
    if t > u:
        t, u = u, t
    if -slack <= t <= span + slack and start + t >= 0.0:
        return start + t
    if -slack <= u <= span + slack and start + u >= 0.0:
        return start + u
    return inf


@inner()
def ground_normal(heights, frame, px, py):
    """The upward normal of the patch under a point, not of unit length."""
    x, y = (px - frame[0]) / frame[2], (py - frame[1]) / frame[3]
    i = min(max(floor(x), 0), heights.shape[0] - 2)
    j = min(max(floor(y), 0), heights.shape[1] - 2)
    s, r = x - i, y - j
    by_x = (1.0 - r) * (heights[i + 1, j] - heights[i, j]) + r * (heights[i + 1, j + 1] - heights[i, j + 1])
    by_y = (1.0 - s) * (heights[i, j + 1] - heights[i, j]) + s * (heights[i + 1, j + 1] - heights[i + 1, j])
    return -by_x / frame[2], -by_y / frame[3], 1.0
