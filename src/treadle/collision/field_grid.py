"""The grid of a height field as kernels see it: points, ridges and peaks.

A field is (columns, rows, place of its first height, lowest x, lowest y, steps along x and y).
"""

from __future__ import annotations

from treadle.collision.vectors import dot, minus, norm
from treadle.native.pieces import helper

__all__ = [
    "ALONG_X", "ALONG_Y", "DIAGONAL", "SMALL", "grid_point", "is_inside", "is_peak", "is_ridge", "surface_at",
]  # fmt: skip

#: Sines of angles below this do not make an edge convex or a normal foreign.
SMALL = 1e-9
#: Neighbours of a grid point, around it.
_AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
#: Edges that start at a grid point: the step along each, and those to the third corners of its triangles.
ALONG_X = ((1, 0), (1, 1), (0, -1))
DIAGONAL = ((1, 1), (1, 0), (0, 1))
ALONG_Y = ((0, 1), (1, 1), (-1, 0))


@helper
def grid_point(heights, field, i, j):
    """Grid point (i, j)."""
    columns, _, first, x, y, dx, dy = field
    return (x + i * dx, y + j * dy, heights[first + j * columns + i])


@helper
def is_inside(field, i, j):
    """Whether there is such a grid point."""
    return 0 <= i < field[0] and 0 <= j < field[1]


@helper
def surface_at(heights, field, p):
    """The triangle at a point: whether there is one, its slopes along x and y, how high the point is over it,
    and its number.
    """
    columns, rows, _, x, y, dx, dy = field
    u, v = (p[0] - x) / dx, (p[1] - y) / dy
    if not (0.0 <= u <= columns - 1.0 and 0.0 <= v <= rows - 1.0):
        return False, 0.0, 0.0, 0.0, 0
    i, j = min(int(u), columns - 2), min(int(v), rows - 2)
    u, v, upper = u - i, v - j, int(u - i <= v - j)
    low, high = grid_point(heights, field, i, j)[2], grid_point(heights, field, i + 1, j + 1)[2]
    third = grid_point(heights, field, i + 1 - upper, j + upper)[2]
    along_x, along_y = (third - low, high - third) if upper == 0 else (high - third, third - low)
    height = p[2] - low - u * along_x - v * along_y
    return True, along_x / dx, along_y / dy, height, 5 * (j * columns + i) + upper


@helper
def is_ridge(field, p, q, left, right):
    """Whether both triangles at the edge from p to q fall away from it.

    Their four corners are a parallelogram in the plane: the plane of the one is as high over the third corner
    of the other as both ends less its own third corner.
    """
    return p[2] + q[2] - left[2] - right[2] > SMALL * (field[5] + field[6])


@helper
def is_peak(heights, field, i, j, n):
    """Whether n belongs to grid point (i, j): no edge from there leads towards it."""
    p = grid_point(heights, field, i, j)
    for x, y in _AROUND:
        if is_inside(field, i + x, j + y):
            q = grid_point(heights, field, i + x, j + y)
            if dot(n, minus(q, p)) > SMALL * norm(minus(q, p)):
                return False
    return True
