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
from treadle.native.pieces import room

__all__ = ["capsule_capsule"]


@pair(MANIFOLD)
def capsule_capsule(a, b, margin, desk):
    """The two ends of what parallel capsules share, else a point.

    Where the axes cross, the normal is at right angles to both.
    """
    p, q = position(a), position(b)
    u, v = axis(a, 2), axis(b, 2)
    half_a, half_b = scaled(u, a[SIZE + 1]), scaled(v, b[SIZE + 1])
    on_a, on_b = nearest_of_segments(minus(p, half_a), plus(p, half_a), minus(q, half_b), plus(q, half_b))
    gap = minus(on_b, on_a)
    length = norm(gap)
    s = length - a[SIZE] - b[SIZE]
    if s > margin:
        return
    if length > 1e-12 * (a[SIZE] + b[SIZE]):
        n = unit(gap, u)
    else:
        n = unit(cross(u, v), normal_to(u))
        if dot(n, minus(q, p)) < 0.0:
            n = scaled(n, -1.0)
    result = room(8)
    state_at(result, n, s, along(on_a, a[SIZE], n))
    call_manifold(desk[MANIFOLD], (a, b, result, margin, 1, desk))
