"""Two capsules: the nearest points of their axes."""

from __future__ import annotations

from treadle.collision.contacts import MANIFOLD
from treadle.collision.kinds import SIZE
from treadle.collision.pairs import call_manifold, pair, state_at
from treadle.collision.segments import nearest_of_segments
from treadle.collision.vectors import (
    along,
    axis,
    cross,
    dot,
    minus,
    norm,
    normal_to,
    plus,
    position,
    scaled,
    unit,
)
from treadle.native.pieces import helper, room

__all__ = ["capsule_capsule"]


@pair(MANIFOLD)
def capsule_capsule(a, b, margin, desk):
    """The two ends of what parallel capsules share, else a point."""
    p, q = position(a), position(b)
    u, v = axis(a, 2), axis(b, 2)
    half_a, half_b = scaled(u, a[SIZE + 1]), scaled(v, b[SIZE + 1])
    on_a, on_b = nearest_of_segments(minus(p, half_a), plus(p, half_a), minus(q, half_b), plus(q, half_b))
    gap = minus(on_b, on_a)
    s = norm(gap) - a[SIZE] - b[SIZE]
    if s > margin:
        return
    n = _normal(gap, u, _end(on_a, p, u, a[SIZE + 1]), v, _end(on_b, q, v, b[SIZE + 1]))
    result = room(8)
    state_at(result, n, s, along(on_a, a[SIZE], n))
    call_manifold(desk[MANIFOLD], (a, b, result, margin, 1, desk))


@helper
def _end(x, center, u, half):
    """The end of an axis that a point of it is: 1, -1, or 0 between them."""
    t = dot(minus(x, center), u)
    return 0.0 if abs(t) < half * (1.0 - 1e-12) else (1.0 if t > 0.0 else -1.0)


@helper
def _normal(gap, u, end_a, v, end_b):
    """The direction of the gap between the nearest points of two axes, also where it is mere rounding.

    It is at right angles to an axis between its ends, and points outward at an end.
    """
    w = gap
    inner_a = end_a * dot(gap, u) <= 0.0
    inner_b = end_b * dot(gap, v) >= 0.0
    for _ in range(2):
        if inner_a:
            w = along(w, -dot(w, u), u)
        elif inner_b:
            w = along(w, -dot(w, v), v)
    if (inner_a and end_b * dot(w, v) >= 0.0) or (inner_b and end_a * dot(w, u) <= 0.0):
        m = cross(u, v)
        if norm(m) > 1e-9:
            return unit(scaled(m, 1.0 if dot(m, gap) >= 0.0 else -1.0), u)
    return unit(w, normal_to(u))
