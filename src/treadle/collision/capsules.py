"""Two capsules: the nearest points of their axes."""

from __future__ import annotations

from treadle.collision.segments import nearest_of_segments
from treadle.collision.vectors import axis, cross, dot, minus, norm, normal_to, plus, position, scaled, unit
from treadle.native.signatures import INT, MATRIX, kernel

__all__ = ["capsule_separation"]


@kernel((MATRIX, MATRIX, INT, INT))
def capsule_separation(X, S, a, b):
    """The unit normal from A to B and the signed distance; where the axes cross, at right angles to both."""
    p, q = position(X, a), position(X, b)
    u, v = axis(X, a, 2), axis(X, b, 2)
    half_a, half_b = scaled(u, S[a, 1]), scaled(v, S[b, 1])
    on_a, on_b = nearest_of_segments(minus(p, half_a), plus(p, half_a), minus(q, half_b), plus(q, half_b))
    gap = minus(on_b, on_a)
    length = norm(gap)
    if length > 1e-12 * (S[a, 0] + S[b, 0]):
        n = unit(gap, u)
    else:
        n = unit(cross(u, v), normal_to(u))
        if dot(n, minus(q, p)) < 0.0:
            n = scaled(n, -1.0)
    return n, length - S[a, 0] - S[b, 0]
