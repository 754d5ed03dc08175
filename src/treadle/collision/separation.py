"""Signed distance of two primitives: the largest gap of their support functions over all directions.

Along a unit vector n from A to B the gap between two convex bodies is

    s(n) = d . n - h_A(n) - h_B(-n),

d from centre to centre and h the support functions. Its maximum over n is the distance if they are apart and
minus the depth if they overlap. Boxes, capsules, cylinders and ellipsoids are sums of segments, discs,
ellipsoids and balls, so that

    s(n) = d . n - sum_k |u_k . n| - sum_m |M_m n| - r.

Its maxima are faces against faces and edges against edges, finitely many directions (`_corners`), or near
them: from the best of them Newton's method (`support_active`) finds one to rounding. Separate shapes have no
other, since s is concave; of shapes that overlap others are looked for (`least_depth`).
"""

from __future__ import annotations

from treadle.collision.contacts import DEPTH, GJK, MANIFOLD, PROVE, REFINE, ROUND
from treadle.collision.kinds import REACH
from treadle.collision.pairs import PROVED, call_separation, pair, put_points, separation_piece, state
from treadle.collision.support_terms import gap, terms
from treadle.collision.supports import inner_ball
from treadle.collision.vectors import axis, corner, cross, dot, minus, norm, position, scaled, store, unit
from treadle.native.pieces import helper, room

__all__ = ["round_pair", "separation"]

#: Depth, as a share of the size, up to which one maximum is as good as another.
_SHALLOW = 1e-9


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


@separation_piece(DEPTH, GJK, REFINE)
def separation(a, b, margin, result, desk):
    """Normal, signed distance and a point of A, see `pairs`, of shapes without corners of their own.

    A direction along which the gap is more than the margin is as good as the best: they do not touch.
    """
    U, M, found = room(18), room(18), room(9)
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
    state(result, n, best - r)
    if best - r > margin:
        return
    exact = PROVED * (a[REACH] + b[REACH])
    store(found, 0, n)
    call_separation(desk[REFINE], (a, b, margin, found, desk))
    if found[8] > exact or found[3] < result[3] - exact:
        # a cap over an edge: the axis is the normal, and the point is found by its features
        store(found, 0, n)
        found[3], found[7], found[8] = result[3], 0.0, 1e300
        if best > exact:
            call_separation(desk[GJK], (a, b, margin, found, desk))
    if found[3] + inner_ball(a) + inner_ball(b) < -_SHALLOW * (a[REACH] + b[REACH]):
        call_separation(desk[DEPTH], (a, b, margin, found, desk))
    if found[3] >= result[3] - exact:
        for k in range(8):
            result[k] = found[k]


@pair(ROUND, MANIFOLD, PROVE)
def round_pair(a, b, margin, desk):
    """Two shapes of which one is a cylinder or an ellipsoid."""
    if norm(minus(position(b), position(a))) - a[REACH] - b[REACH] > margin:
        return
    result = room(9)
    call_separation(desk[ROUND], (a, b, margin, result, desk))
    if result[3] <= margin:
        put_points(a, b, margin, result, desk)
