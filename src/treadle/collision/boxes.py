"""Two boxes: the separating axis theorem (Gottschalk, Lin and Manocha, 1996)."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import MANIFOLD, PROVE
from treadle.collision.kinds import REACH, SIZE
from treadle.collision.pairs import pair, put_points, state
from treadle.collision.vectors import axis, dot, minus, position, scaled
from treadle.native.pieces import helper, room

__all__ = ["box_box"]

#: Edges whose angle (rad) is below this are parallel.
_PARALLEL = 3e-8


@helper
def _crossed(u, v):
    x, y, z = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    s = 1.0 / sqrt(x * x + y * y + z * z)
    return (x * s, y * s, z * s)


@helper
def _box_axis(a, b, margin):
    """The unit normal from A to B of the fifteen with the largest gap, and the gap; any beyond the margin."""
    d = minus(position(b), position(a))
    # cosines of the angles between axes, their sizes, and the way from A to B along the axes of either
    C, D, t, r = room(9), room(9), room(3), room(3)
    for i in range(3):
        u = axis(a, i)
        t[i] = dot(d, u)
        r[i] = dot(d, axis(b, i))
        for j in range(3):
            C[3 * i + j] = dot(u, axis(b, j))
            D[3 * i + j] = abs(C[3 * i + j])
    best, bar, rounding = -1e300, -1e300, 1e-12 * (a[REACH] + b[REACH])
    kind, first, second, sign = 0, 0, 0, 1.0
    for i in range(3):
        s = (
            abs(t[i])
            - a[SIZE + i]
            - (b[SIZE] * D[3 * i] + b[SIZE + 1] * D[3 * i + 1] + b[SIZE + 2] * D[3 * i + 2])
        )
        if s > bar:
            best, bar, kind, first, sign = s, s + rounding, 0, i, t[i]
        s = abs(r[i]) - b[SIZE + i] - (a[SIZE] * D[i] + a[SIZE + 1] * D[3 + i] + a[SIZE + 2] * D[6 + i])
        if s > bar:
            best, bar, kind, first, sign = s, s + rounding, 1, i, r[i]
    if kind == 0:
        n = scaled(axis(a, first), 1.0 if sign >= 0.0 else -1.0)
    else:
        n = scaled(axis(b, first), 1.0 if sign >= 0.0 else -1.0)
    face = best
    if best <= margin:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            for m in range(3):
                o, p = (m + 1) % 3, (m + 2) % 3
                squared = C[3 * j + m] * C[3 * j + m] + C[3 * k + m] * C[3 * k + m]
                # parallel edges have no axis of their own
                if squared < _PARALLEL * _PARALLEL:
                    continue
                # u_i x v_m, in the axes of A
                along = t[k] * C[3 * j + m] - t[j] * C[3 * k + m]
                extent = (
                    a[SIZE + j] * D[3 * k + m]
                    + a[SIZE + k] * D[3 * j + m]
                    + b[SIZE + o] * D[3 * i + p]
                    + b[SIZE + p] * D[3 * i + o]
                )
                # the axis is no longer than 1: a negative gap is no less than this
                s = abs(along) - extent
                if s <= bar and s <= 0.0:
                    continue
                length = sqrt(squared)
                s /= length
                # a face is preferred where rounding decides
                if s > bar and s > best + 5e-4 * rounding / length:
                    best, bar, kind, first, second = s, s + rounding, 2, i, m
    if kind < 2:
        return n, best
    m = _crossed(axis(a, first), axis(b, second))
    m = scaled(m, 1.0 if dot(m, d) >= 0.0 else -1.0)
    # along an axis of nearly parallel edges, what was found is off by their length times rounding
    best = dot(m, d)
    for i in range(3):
        best -= a[SIZE + i] * abs(dot(m, axis(a, i))) + b[SIZE + i] * abs(dot(m, axis(b, i)))
    if best <= face:
        return n, face
    return m, best


@pair(MANIFOLD, PROVE)
def box_box(a, b, margin, desk):
    """A face's corners (up to eight), a line's two ends or a single point.

    The best of fifteen axes gives the depth of boxes that overlap. Of boxes that are apart it gives the
    distance only if two of their points are that far from each other; if not, `proof` searches.
    """
    result = room(8)
    n, s = _box_axis(a, b, margin)
    if s > margin:
        return
    state(result, n, s)
    put_points(a, b, margin, result, desk)
