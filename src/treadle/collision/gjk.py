"""GJK: distance and normal of two convex shapes by their support points; EPA (`epa`) where they overlap.

The Minkowski difference b - a of two convex shapes is convex, and its point nearest to the origin gives
their distance. GJK (Gilbert, Johnson and Keerthi, 1988) finds it on simplices of up to four support points;
EPA (van den Bergen, 2001) finds the penetration depth where the origin is inside. Both are exact for shapes
with corners: boxes, hulls, and the points and segments inside spheres and capsules. What they leave open, on
curved surfaces and by rounding, Newton's method refines (`support_active`).
"""

from __future__ import annotations

from treadle.collision.contacts import DEPTH, GJK, MANIFOLD, PROVE, REFINE
from treadle.collision.epa import epa
from treadle.collision.kinds import CYLINDER, KIND, REACH
from treadle.collision.pairs import (
    PROVED,
    call_separation,
    overlap_piece,
    pair,
    put_points,
    separation_piece,
    state_at,
)
from treadle.collision.simplex import nearest
from treadle.collision.supports import is_curved, rounding, support
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

__all__ = ["convex_pair", "gjk_separation", "overlap"]

#: Iterations at most, and the relative error of the distance at which they end.
_ITERATIONS, _NEAR = 200, 1e-15
#: Shapes nearer than this share of their size are left to EPA.
_TOUCHING = 1e-12
#: Error of the distance, as a share of the size, above which the normal of a curved shape is refined: it is
#: off by about the root of this, and well known where that of its point is less than the second.
_SMOOTH, _WELL_KNOWN = 1e-15, 1e-7
#: Angle (rad) to its axis up to which the cap of a cylinder may be what touches.
_TILTED = 1e-3
#: Distance, as a share of the size, up to which EPA serves if a result is not proved.
_NEAR_BY = 1e-3


@helper
def _gjk(a, b, beyond, W, A, weights):
    """Nearest simplex of the Minkowski difference: number of corners, vector v to it, v on A, and gap.

    W are its corners, A their support points on shape A. Four corners or more: the shapes overlap, and v is
    the direction with the least overlap so far; none: the distance exceeds `beyond`. The gap is that along v,
    0 where it is not known.
    """
    smallest = _TOUCHING * (a[REACH] + b[REACH])
    v = unit(minus(position(b), position(a)), axis(a, 2))
    count, vv, foot, ahead = 0, 1e300, position(a), 0.0
    best, most = v, -1e300
    for _ in range(_ITERATIONS):
        on_a = support(a, v)
        w = minus(support(b, scaled(v, -1.0)), on_a)
        ahead = dot(v, w)
        if ahead > 0.0 and ahead > beyond * norm(v):
            return 0, v, foot, 0.0
        if ahead > most * norm(v):
            best, most = v, ahead / norm(v)
        if count > 0 and vv - ahead <= _NEAR * vv:
            break
        known = False
        for i in range(count):
            known = known or norm(minus(w, corner(W, i))) <= 1e-2 * smallest
        if known:
            break
        store(W, count, w)
        store(A, count, on_a)
        count, closer = nearest(W, A, weights, count + 1)
        if count == 4:
            return 4, best, foot, 0.0
        squared = dot(closer, closer)
        if squared <= smallest * smallest:
            return 4 + count, best, foot, 0.0
        # rounding: no nearer than before, so that v stays while the simplex is another one
        if squared >= vv:
            break
        v, vv, ahead = closer, squared, 0.0
        foot = (0.0, 0.0, 0.0)
        for i in range(count):
            foot = along(foot, weights[i], corner(A, i))
    return count, v, foot, ahead / norm(v)


@helper
def _gap(a, b, n):
    """The gap between the cores of two shapes along n."""
    return dot(n, minus(support(b, scaled(n, -1.0)), support(a, n)))


@helper
def _apart(a, b, v, along_v, W, count):
    """Normal, distance and its error of cores that are apart by v, the nearest point of a simplex W."""
    distance = norm(v)
    n, error = scaled(v, 1.0 / distance), distance - along_v
    if count == 2:
        # at right angles to the edge, however short v is
        e = minus(corner(W, 1), corner(W, 0))
        m = along(v, -dot(v, e) / dot(e, e), e)
        if norm(m) > 0.5 * distance:
            n, distance = unit(m, n), norm(m)
            error = abs(distance - _gap(a, b, n))
    if count == 3:
        # the normal of the triangle is well conditioned however short v is, that of v however thin it is
        p = corner(W, 0)
        e, f = minus(corner(W, 1), p), minus(corner(W, 2), p)
        m = cross(e, f)
        if norm(m) > distance * max(norm(e), norm(f)):
            m = unit(m, n)
            m = scaled(m, 1.0 if dot(m, v) > 0.0 else -1.0)
            other = abs(dot(m, p) - _gap(a, b, m))
            if abs(dot(m, p) - distance) < PROVED * (a[REACH] + b[REACH]) and other < error:
                n, distance, error = m, dot(m, p), other
    return n, distance, error


@separation_piece(DEPTH, REFINE)
def gjk_separation(a, b, margin, result, desk):
    """Normal, signed distance and a point of A, see `pairs`.

    The gap along the normal proves the distance. What it does not prove is refined.
    """
    W, A, weights, found = room(12), room(12), room(4), room(9)
    r, s = rounding(a), rounding(b)
    count, v, on_a, along_v = _gjk(a, b, margin + r + s, W, A, weights)
    if count == 0:
        result[3] = 2.0 * abs(margin) + 1.0
        return
    size = a[REACH] + b[REACH]
    n, distance, error, across = axis(a, 2), 0.0, 1e300, 0.0
    curved = is_curved(a) or is_curved(b)
    exact = (_SMOOTH if curved else PROVED) * size
    if count < 4:
        n, distance, error = _apart(a, b, v, along_v, W, count)
        n, distance, error, across = _capped(a, b, n, distance, error)
        if error > exact and across == 0.0:
            n, distance, on_a, error = _better(a, b, n, distance, on_a, error, desk)
        if distance < -PROVED * size:
            # a depth that is the least nearby, not of all
            error = 1e300
    open_yet = error > PROVED * size and distance <= _NEAR_BY * size
    if curved and open_yet:
        store(found, 0, unit(v, axis(a, 2)))
        found[3], found[8] = -1e300, 1e300
        call_separation(desk[DEPTH], (a, b, margin, found, desk))
        if error > 1e299 or found[8] < error or found[3] > distance - r - s:
            for k in range(8):
                result[k] = found[k]
            return
    corners = count - 4 if count > 4 else count
    # cores that overlap, or so near that the search ended in rounding and v has no direction
    for _ in range(0 if curved else 2):
        if error <= PROVED * size or distance > _NEAR_BY * size:
            break
        m, other, foot, left, off = epa(a, b, W, A, corners)
        if left > exact:
            m, other, foot, left = _better(a, b, m, other, foot, left, desk)
            off = left
        # of shapes that are apart, a face that the origin is not over is not the nearest
        if left < error and (other <= PROVED * size or off <= error):
            n, distance, on_a, error, across = m, other, foot, left, off
        # once more from a simplex of its own
        d = unit(minus(position(b), position(a)), axis(a, 2))
        store(A, 0, support(a, d))
        store(W, 0, minus(support(b, scaled(d, -1.0)), corner(A, 0)))
        corners = 1
    state_at(result, n, distance - r - s, along(on_a, r, n))
    if across > PROVED * size:
        result[7] = 0.0


@helper
def _capped(a, b, n, distance, error):
    """The axis of a cylinder, if its cap faces the other shape: there its support function has a kink.

    The last result says that it is, and that the point is not known.
    """
    u = scaled(axis(a, 2), 1.0 if dot(axis(a, 2), n) > 0.0 else -1.0)
    if a[KIND] == CYLINDER and norm(minus(n, u)) < _TILTED:
        value = _gap(a, b, u)
        if value >= distance - error:
            return u, value, max(distance - value, 0.0), 1e300
    return n, distance, error, 0.0


@helper
def _better(a, b, n, distance, on_a, error, desk):
    """The result of a search, or what Newton's method makes of its normal if that is proved better."""
    found = room(9)
    found[0], found[1], found[2] = n
    call_separation(desk[REFINE], (a, b, 0.0, found, desk))
    curved, size = is_curved(a) or is_curved(b), a[REACH] + b[REACH]
    smooth = (
        curved and found[8] < _WELL_KNOWN * size and found[3] + rounding(a) + rounding(b) > distance - error
    )
    if found[8] < error or smooth:
        r, m = rounding(a), corner(found, 0)
        p = along((found[4], found[5], found[6]), -r, m)
        return m, found[3] + r + rounding(b), p, min(found[8], error)
    return n, distance, on_a, error


@overlap_piece
def overlap(a, b):
    """Whether two convex shapes overlap: as `gjk_separation`, without the depth."""
    W, A, weights = room(12), room(12), room(4)
    r, s = rounding(a), rounding(b)
    count, v, _, _ = _gjk(a, b, r + s, W, A, weights)
    return 1 if count >= 4 or (count > 0 and norm(v) < r + s) else 0


@pair(GJK, MANIFOLD, PROVE)
def convex_pair(a, b, margin, desk):
    """Two convex shapes: a face's corners, a line's two ends or a single point."""
    if norm(minus(position(b), position(a))) - a[REACH] - b[REACH] > margin:
        return
    result = room(8)
    call_separation(desk[GJK], (a, b, margin, result, desk))
    if result[3] <= margin:
        put_points(a, b, margin, result, desk)
