"""A ball against a cell of a height field, in closed form: two triangles, and the edges that start there."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import TOTAL, put
from treadle.collision.field_grid import (
    ALONG_X,
    ALONG_Y,
    DIAGONAL,
    SMALL,
    grid_point,
    is_inside,
    is_peak,
    is_ridge,
)
from treadle.collision.settle import settle
from treadle.collision.vectors import along, dot, minus, scaled
from treadle.native.pieces import helper

__all__ = ["ball_on_edges", "ball_on_faces"]


@helper
def ball_on_faces(ball, heights, field, i, j, limits, number, start, desk):
    """The points of both triangles of cell (i, j); a ball is its centre and radius.

    `limits` are the margin, and the depth to which points are looked for.
    """
    dx, dy = field[5], field[6]
    p, r = grid_point(heights, field, i, j), grid_point(heights, field, i + 1, j + 1)
    q, t = grid_point(heights, field, i + 1, j)[2], grid_point(heights, field, i, j + 1)[2]
    below, above = ((q - p[2]) / dx, (r[2] - q) / dy), ((r[2] - t) / dx, (t - p[2]) / dy)
    _on_face(ball, field, p, below, True, limits, number, start, desk)
    _on_face(ball, field, p, above, False, limits, number + 1, start, desk)


@helper
def _on_face(ball, field, p, slope, below, limits, number, start, desk):
    """The point of the plane with these slopes along x and y through p, if it is one of the triangle.

    That is the one `below` or above the diagonal of the cell that p is the lowest corner of.
    """
    (cx, cy, cz), radius = ball
    margin, depth = limits
    x, y, far = cx - p[0], cy - p[1], radius + margin
    height, square = cz - p[2] - slope[0] * x - slope[1] * y, 1.0 + slope[0] * slope[0] + slope[1] * slope[1]
    if height > 0.0 and height * height > far * far * square:
        return
    down = height / square
    fx, fy = (x + down * slope[0]) / field[5], (y + down * slope[1]) / field[6]
    most, least = (fx, fy) if below else (fy, fx)
    if most > 1.0 + SMALL or least < -SMALL or least > most + SMALL:
        return
    length = sqrt(square)
    distance = down * length - radius
    if distance > margin or distance < -depth:
        return
    fresh = desk[TOTAL]
    foot = (cx + down * slope[0], cy + down * slope[1], cz - down)
    put(desk, 0, foot, (-slope[0] / length, -slope[1] / length, 1.0 / length), distance)
    settle(desk, start, fresh, number, 8)


@helper
def ball_on_edges(ball, heights, field, i, j, margin, number, start, desk):
    """The points of the ridges and peaks of the edges that start at grid point (i, j)."""
    right, up = i + 1 < field[0], j + 1 < field[1]
    if right:
        _on_edge(ball, heights, field, i, j, ALONG_X, margin, number, start, desk)
    if right and up:
        _on_edge(ball, heights, field, i, j, DIAGONAL, margin, number + 1, start, desk)
    if up:
        _on_edge(ball, heights, field, i, j, ALONG_Y, margin, number + 2, start, desk)


@helper
def _on_edge(ball, heights, field, i, j, steps, margin, number, start, desk):
    """The point of an edge nearest to the ball, if both triangles fall away from it."""
    (x, y), left, right = steps
    p, q, s, t = grid_point(heights, field, i, j), grid_point(heights, field, i + x, j + y), ball[0], ball[0]
    has_left = is_inside(field, i + left[0], j + left[1])
    has_right = is_inside(field, i + right[0], j + right[1])
    if has_left:
        s = grid_point(heights, field, i + left[0], j + left[1])
    if has_right:
        t = grid_point(heights, field, i + right[0], j + right[1])
    if has_left and has_right and not is_ridge(field, p, q, s, t):
        return
    u, gap, far = minus(q, p), minus(ball[0], p), ball[1] + margin
    inverse = 1.0 / dot(u, u)
    share = min(max(dot(gap, u) * inverse, 0.0), 1.0)
    apart = along(gap, -share, u)
    square = dot(apart, apart)
    if square > far * far or (apart[2] <= 0.0 and square > 0.0):
        return
    length, n = sqrt(square), (0.0, 0.0, 1.0)
    if length > 0.0:
        n = scaled(apart, 1.0 / length)
    if (has_left and _leans(n, p, u, inverse, s)) or (has_right and _leans(n, p, u, inverse, t)):
        return
    end = dot(n, u)
    if end * end * inverse > SMALL * SMALL:
        # beyond an end of the edge
        if end < 0.0 and not is_peak(heights, field, i, j, n):
            return
        if end > 0.0 and not is_peak(heights, field, i + x, j + y, n):
            return
    fresh = desk[TOTAL]
    put(desk, 0, along(p, share, u), n, length - ball[1])
    settle(desk, start, fresh, number, 8)


@helper
def _leans(n, p, u, inverse, corner):
    """Whether n leans towards the triangle with this third corner at the edge from p along u."""
    away = minus(corner, p)
    side = along(away, -dot(away, u) * inverse, u)
    lean = dot(n, side)
    return lean > 0.0 and lean * lean > SMALL * SMALL * dot(side, side)
