"""A ray against a height field: from cell to cell along the ray (Amanatides and Woo, 1987)."""

from __future__ import annotations

from math import floor, inf

from treadle.collision.vectors import along, cross, dot, minus, unit
from treadle.native.pieces import helper

__all__ = ["field_ray"]


@helper
def field_ray(block, size, p, e, limit):
    """Where the ray p + t e first meets the field in its own axes, and the normal there."""
    up = (0.0, 0.0, 1.0)
    columns, rows = int(block[0]), int(block[1])
    dx, dy = 2.0 * size[0] / (columns - 1), 2.0 * size[1] / (rows - 1)
    # the part of the ray over the field's rectangle
    start, stop = 0.0, limit
    for k in range(2):
        half = size[k]
        if e[k] == 0.0:
            if abs(p[k]) > half:
                return inf, up
            continue
        t, u = (-half - p[k]) / e[k], (half - p[k]) / e[k]
        start, stop = max(start, min(t, u)), min(stop, max(t, u))
    if start > stop:
        return inf, up
    q = along(p, start, e)
    i = min(max(floor((q[0] + size[0]) / dx), 0), columns - 2)
    j = min(max(floor((q[1] + size[1]) / dy), 0), rows - 2)
    t = start
    for _ in range(columns + rows + 4):
        hit, n = _cell(block, 2 + j * columns + i, columns, i * dx - size[0], j * dy - size[1], dx, dy, p, e)
        if hit <= stop:
            return hit, n
        # on to the next cell
        x = i + 1 if e[0] > 0.0 else i
        y = j + 1 if e[1] > 0.0 else j
        to_x = (x * dx - size[0] - p[0]) / e[0] if e[0] != 0.0 else inf
        to_y = (y * dy - size[1] - p[1]) / e[1] if e[1] != 0.0 else inf
        t = min(to_x, to_y)
        if t > stop:
            break
        if to_x <= to_y:
            i += 1 if e[0] > 0.0 else -1
        else:
            j += 1 if e[1] > 0.0 else -1
        if i < 0 or j < 0 or i > columns - 2 or j > rows - 2:
            break
    return inf, up


@helper
def _cell(heights, place, columns, x, y, dx, dy, p, e):
    """The first hit of the two triangles of a cell."""
    a = (x, y, heights[place])
    b = (x + dx, y, heights[place + 1])
    c = (x + dx, y + dy, heights[place + columns + 1])
    d = (x, y + dy, heights[place + columns])
    t, n = _triangle(a, b, c, p, e)
    u, m = _triangle(a, c, d, p, e)
    return (t, n) if t <= u else (u, m)


@helper
def _triangle(a, b, c, p, e):
    """Where a ray meets a triangle from above, or 0 where it starts below it."""
    n = unit(cross(minus(b, a), minus(c, a)), (0.0, 0.0, 1.0))
    speed = dot(n, e)
    height = dot(n, minus(p, a))
    if height <= 0.0:
        # below: it counts as inside if the triangle is straight above
        foot = (p[0], p[1], a[2] - (n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1])) / n[2])
        return (0.0 if _over(a, b, c, foot) else inf), n
    if speed >= 0.0:
        return inf, n
    t = -height / speed
    return (t if _over(a, b, c, along(p, t, e)) else inf), n


@helper
def _over(a, b, c, q):
    """Whether a point of the triangle's plane lies in it, seen from above."""
    return (
        (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) >= -1e-12
        and (c[0] - b[0]) * (q[1] - b[1]) - (c[1] - b[1]) * (q[0] - b[0]) >= -1e-12
        and (a[0] - c[0]) * (q[1] - c[1]) - (a[1] - c[1]) * (q[0] - c[0]) >= -1e-12
    )
