"""Signed distance of two primitives: the largest gap of their support functions over all directions.

Along a unit vector n from A to B the gap between two convex bodies is

    s(n) = d . n - h_A(n) - h_B(-n),

d from centre to centre and h the support functions. Its maximum over n is the distance if they are apart and
minus the depth if they overlap. Boxes, capsules, cylinders and ellipsoids are sums of segments, discs,
ellipsoids and balls, so that

    s(n) = d . n - sum_k |u_k . n| - sum_m |M_m n| - r.

The maximum lies where two of the segments' kinks meet (`_corners`, finitely many directions), on one kink
(`_circles`, one angle) or on none (`_smooth`, two angles). Every direction that is tried bounds the distance
from below; what is found is exact once one of them is the best, and refined by Newton's method to rounding.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from treadle.collision.circles import maximize_on_circles
from treadle.collision.contacts import MANIFOLD, PROVE, REFINE, ROUND
from treadle.collision.kinds import REACH
from treadle.collision.pairs import call_separation, pair, put_points, separation_piece, state
from treadle.collision.support_newton import gap, maximize_gap, terms
from treadle.collision.vectors import (
    along,
    axis,
    corner,
    cross,
    dot,
    minus,
    norm,
    position,
    scaled,
    store,
    unit,
)
from treadle.native.pieces import helper, room

__all__ = ["round_pair", "separation"]

_GOLDEN = pi * (3.0 - sqrt(5.0))
#: Start directions on a hemisphere for overlapping curved shapes, and how many of them are followed.
_STARTS, _FOLLOWED = 24, 6
#: Depth, as a share of the smaller shape, from which maxima at kinks are looked for, and directions to start.
_DEEP, _DEEP_FOLLOWED = 0.01, 8
#: Depth, as a share of the size, up to which one maximum is as good as another.
_SHALLOW = 1e-9
#: Start vertices for separate shapes, the most promising first.
_VERTICES = 3


@helper
def _corners(n, best, d, U, segments, M, curves):
    """Directions at right angles to two segments, and the axes of discs."""
    for i in range(segments):
        u = corner(U, i)
        for j in range(i):
            v = corner(U, j)
            w = cross(u, v)
            # nearly parallel segments have no direction of their own
            if norm(w) > 1e-10 * norm(u) * norm(v):
                n, best = _try(unit(w, n), n, best, d, U, segments, M, curves)
    for m in range(curves):
        w = cross(corner(M, 3 * m), corner(M, 3 * m + 1))
        n, best = _try(unit(w, n), n, best, d, U, segments, M, curves)
    return n, best


@helper
def _try(candidate, n, best, d, U, segments, M, curves):
    """The better of two directions, the candidate with the sign that points from A to B."""
    if dot(candidate, d) < 0.0:
        candidate = scaled(candidate, -1.0)
    value = gap(candidate, d, U, segments, M, curves)
    if value > best:
        return candidate, value
    return n, best


@helper
def _smooth(n, best, depth, d, U, segments, M, curves):
    """Directions along which both shapes have a single support point; more of them below a gap `depth`."""
    # one vertex of every segment: what is left is a point and the curves
    patterns = 1 << segments
    starts, values = room(192), room(64)
    for pattern in range(patterns):
        w = d
        for k in range(segments):
            sign = 1.0 if pattern & (1 << k) else -1.0
            w = along(w, -sign, corner(U, k))
        w = unit(w, n)
        store(starts, pattern, w)
        values[pattern] = gap(w, d, U, segments, M, curves)
    for _ in range(min(_VERTICES, patterns)):
        i = _highest(values, patterns)
        w, value = corner(starts, i), values[i]
        if curves > 0:
            w, value = maximize_gap(w, d, U, segments, M, curves)
        if value > best:
            n, best = w, value
        values[i] = -1e300
    if curves > 0:
        other, value = maximize_gap(n, d, U, segments, M, curves)
        if value > best:
            n, best = other, value
        if best < depth:
            n, best = _search(n, best, d, U, segments, M, curves)
    return n, best


@helper
def _search(n, best, d, U, segments, M, curves):
    """Overlapping curved shapes may have several local maxima: start from the best of many directions."""
    starts, values = room(120), room(40)
    count = _directions(starts, values, n, d, U, segments, M, curves)
    for _ in range(_FOLLOWED):
        w = _following(starts, values, count)
        other, value = maximize_gap(w, d, U, segments, M, curves)
        if value > best:
            n, best = other, value
    return n, best


@helper
def _directions(starts, values, n, d, U, segments, M, curves):
    """Write directions all over a hemisphere, axes of the curves, and their gaps."""
    count = _STARTS + 6 * curves
    for i in range(count):
        if i < _STARTS:
            z = (i + 0.5) / _STARTS
            flat = sqrt(1.0 - z * z)
            w = (flat * cos(_GOLDEN * i), flat * sin(_GOLDEN * i), z)
            if dot(w, d) < 0.0:
                w = scaled(w, -1.0)
        else:
            # both ways: they count alike where the centres are side by side
            m, j = divmod((i - _STARTS) // 2, 3)
            w = scaled(unit(corner(M, 3 * m + j), n), 1.0 if (i - _STARTS) % 2 == 0 else -1.0)
        store(starts, i, w)
        values[i] = gap(w, d, U, segments, M, curves)
    return count


@helper
def _following(starts, values, count):
    """The best direction that is left; those near it, which lead to the same maximum, are taken out."""
    i = _highest(values, count)
    w = corner(starts, i)
    for j in range(count):
        if dot(w, corner(starts, j)) > 0.9:
            values[j] = -1e300
    values[i] = -1e300
    return w


@helper
def _deep(a, b, n, best, r, terms, desk):
    """Shapes deep in each other: the maxima of kinks as well, by an active set (`support_active`)."""
    d, U, segments, M, curves = terms
    starts, values, found = room(120), room(40), room(9)
    count = _directions(starts, values, n, d, U, segments, M, curves)
    for _ in range(_DEEP_FOLLOWED):
        found[0], found[1], found[2] = _following(starts, values, count)
        call_separation(desk[REFINE], (a, b, 0.0, found, desk))
        if found[3] + r > best:
            n, best = corner(found, 0), found[3] + r
    return n, best


@helper
def _highest(values, count):
    best = 0
    for i in range(1, count):
        if values[i] > values[best]:
            best = i
    return best


@separation_piece(REFINE)
def separation(a, b, margin, result, desk):
    """The unit normal from A to B and the signed distance along it.

    A direction along which the gap is more than the margin is as good as the best: they do not touch.
    """
    U, M = room(18), room(18)
    for i in range(18):
        U[i] = M[i] = 0.0
    segments, curves, r = terms(a, U, M, 0, 0)
    segments, curves, s = terms(b, U, M, segments, curves)
    r += s
    d = minus(position(b), position(a))
    n = unit(d, axis(a, 2))
    best = gap(n, d, U, segments, M, curves)
    if best - r <= margin:
        n, best = _corners(n, best, d, U, segments, M, curves)
    if best - r <= margin:
        n, best = maximize_on_circles(n, best, d, U, segments, M, curves)
    if best - r <= margin:
        n, best = _smooth(n, best, -_SHALLOW * (a[REACH] + b[REACH]), d, U, segments, M, curves)
    if curves > 0 and best < -_DEEP * min(a[REACH], b[REACH]):
        n, best = _deep(a, b, n, best, r, (d, U, segments, M, curves), desk)
    state(result, n, best - r)


@pair(ROUND, MANIFOLD, PROVE)
def round_pair(a, b, margin, desk):
    """Two shapes of which one is a cylinder or an ellipsoid."""
    if norm(minus(position(b), position(a))) - a[REACH] - b[REACH] > margin:
        return
    result = room(8)
    call_separation(desk[ROUND], (a, b, margin, result, desk))
    if result[3] <= margin:
        put_points(a, b, margin, result, desk)
