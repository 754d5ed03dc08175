"""Two capsules: the nearest points of their axes."""

from __future__ import annotations

from treadle.collision.contacts import MANIFOLD
from treadle.collision.kinds import SIZE
from treadle.collision.pairs import call_manifold, pair, state_at
from treadle.collision.segments import nearest_parameters
from treadle.collision.vectors import (
    along,
    axis,
    cross,
    dot,
    minus,
    norm,
    normal_to,
    position,
    scaled,
    unit,
)
from treadle.native.pieces import helper, room

__all__ = ["capsule_capsule"]


@pair(MANIFOLD)
def capsule_capsule(a, b, margin, desk):
    """The two ends of what parallel capsules share, else a point."""
    u, v = axis(a, 2), axis(b, 2)
    one, two = scaled(u, 2.0 * a[SIZE + 1]), scaled(v, 2.0 * b[SIZE + 1])
    p, q = along(position(a), -a[SIZE + 1], u), along(position(b), -b[SIZE + 1], v)
    x, y = nearest_parameters(p, one, q, two)
    on_a, on_b = along(p, x, one), along(q, y, two)
    gap = minus(on_b, on_a)
    s = norm(gap) - a[SIZE] - b[SIZE]
    if s > margin:
        return
    n = _normal(gap, u, _end(x), v, _end(y), a[SIZE + 1] + b[SIZE + 1])
    result = room(8)
    state_at(result, n, s, along(on_a, a[SIZE], n))
    call_manifold(desk[MANIFOLD], (a, b, result, margin, 1, desk))


@helper
def _end(x):
    """The end of an axis at the share x of it: 1, -1, or 0 between them."""
    return 0.0 if 0.0 < x < 1.0 else (1.0 if x > 0.5 else -1.0)


@helper
def _normal(gap, u, end_a, v, end_b, length):
    """The direction of the gap between the nearest points of two axes, also where it is mere rounding.

    It is at right angles to an axis between its ends, and points outward at an end. Of axes that cross, their
    angle says more about it than a gap that is shorter than that between their ends.
    """
    w = gap
    inner_a = end_a * dot(gap, u) <= 0.0
    inner_b = end_b * dot(gap, v) >= 0.0
    for _ in range(2):
        if inner_a and (end_a == 0.0 or end_b != 0.0):
            w = along(w, -dot(w, u), u)
        elif inner_b:
            w = along(w, -dot(w, v), v)
    if (inner_a and end_b * dot(w, v) >= 0.0) or (inner_b and end_a * dot(w, u) <= 0.0):
        m = cross(u, v)
        if norm(m) > 1e-15 and norm(gap) <= norm(m) * length:
            m = unit(scaled(m, 1.0 if dot(m, gap) >= 0.0 else -1.0), u)
            return unit(along(m, -dot(m, u), u), m)
    return unit(w, normal_to(u))
