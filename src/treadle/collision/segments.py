"""The nearest points of two segments."""

from __future__ import annotations

from treadle.collision.vectors import along, cross, dot, minus
from treadle.native.pieces import helper

__all__ = ["nearest_of_segments", "nearest_parameters"]


@helper
def nearest_of_segments(p, q, r, s):
    """The nearest points of the segments from p to q and from r to s."""
    u, v = minus(q, p), minus(s, r)
    x, y = nearest_parameters(p, u, r, v)
    return along(p, x, u), along(r, y, v)


@helper
def nearest_parameters(p, u, r, v):
    """Where the segments p + x u and r + y v are nearest: x and y, between 0 and 1.

    All five candidates are compared, so that nearly parallel segments lose no accuracy. Where several are
    alike (parallel segments), the first in a fixed order is taken.
    """
    w = minus(p, r)
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    uw, vw = dot(u, w), dot(v, w)
    best_x, best_y, best = 0.0, 0.0, 1e300
    m = cross(u, v)
    squared = dot(m, m)
    if squared > 1e-24 * uu * vv:
        # nearly parallel segments determine y by x much better than both
        x = -dot(cross(w, v), m) / squared
        y = (vw + x * uv) / vv
        if 0.0 < x < 1.0 and 0.0 < y < 1.0:
            best_x, best_y, best = x, y, _squared(p, u, x, r, v, y)
    for end in (0.0, 1.0):
        y = _clip((vw + end * uv) / vv) if vv > 0.0 else 0.0
        squared = _squared(p, u, end, r, v, y)
        if squared < best:
            best_x, best_y, best = end, y, squared
        x = _clip((end * uv - uw) / uu) if uu > 0.0 else 0.0
        squared = _squared(p, u, x, r, v, end)
        if squared < best:
            best_x, best_y, best = x, end, squared
    # squares of distances tell parameters apart to half of the digits only
    if vv > 0.0:
        best_y = _clip((vw + best_x * uv) / vv)
    if uu > 0.0:
        best_x = _clip((best_y * uv - uw) / uu)
    return best_x, best_y


@helper
def _squared(p, u, x, r, v, y):
    gap = minus(along(p, x, u), along(r, y, v))
    return dot(gap, gap)


@helper
def _clip(x):
    return min(max(x, 0.0), 1.0)
