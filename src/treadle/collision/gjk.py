"""GJK: distance and normal of two convex shapes by their support points; EPA (`epa`) where they overlap.

The Minkowski difference b - a of two convex shapes is convex, and its point nearest to the origin gives
their distance. GJK (Gilbert, Johnson and Keerthi, 1988) finds it on simplices of up to four support points;
EPA (van den Bergen, 2001) finds the penetration depth where the origin is inside. Both are exact for shapes
with corners: boxes, hulls, and the points and segments inside spheres and capsules. What they leave open, on
curved surfaces and by rounding, Newton's method refines (`support_active`).
"""

from __future__ import annotations

from treadle.collision.contacts import GJK, MANIFOLD, PROVE, REFINE
from treadle.collision.epa import epa
from treadle.collision.kinds import BLOCK, HULL, KIND, REACH
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
    turned,
    unit,
)
from treadle.native.calling import reals
from treadle.native.pieces import helper, room

__all__ = ["convex_pair", "gjk_separation", "overlap"]

#: Iterations at most, and the relative error of the distance at which they end.
_ITERATIONS, _NEAR = 200, 1e-15
#: Shapes nearer than this share of their size are left to EPA.
_TOUCHING = 1e-12
#: Error of the distance, as a share of the size, above which the normal of a curved shape is refined: it is
#: off by about the root of this, and well known where that of its point is less than the second.
_SMOOTH, _WELL_KNOWN = 1e-15, 1e-7
#: Depth, as a share of the smaller shape, from which others are looked for than the one nearby.
_DEEP = 1e-3
#: Minima of the depth that are looked for, and the cosine of an angle at which one is another.
_MINIMA, _OTHER = 16, 0.99
#: Distance, as a share of the size, up to which EPA serves if a result is not proved.
_NEAR_BY = 1e-3


@helper
def _gjk(a, b, beyond, W, A, weights):
    """Nearest simplex of the Minkowski difference: number of corners, vector v to it, v on A, and gap.

    W are its corners, A their support points on shape A. Four corners or more: the shapes overlap; none: the
    distance exceeds `beyond`. The gap is that along v, 0 where it is not known.
    """
    smallest = _TOUCHING * (a[REACH] + b[REACH])
    v = unit(minus(position(b), position(a)), axis(a, 2))
    count, vv, foot, ahead = 0, 1e300, position(a), 0.0
    for _ in range(_ITERATIONS):
        on_a = support(a, v)
        w = minus(support(b, scaled(v, -1.0)), on_a)
        ahead = dot(v, w)
        if ahead > 0.0 and ahead > beyond * norm(v):
            return 0, v, foot, 0.0
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
            return 4, closer, foot, 0.0
        squared = dot(closer, closer)
        if squared <= smallest * smallest:
            return 4 + count, closer, foot, 0.0
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


@separation_piece(REFINE)
def gjk_separation(a, b, margin, result, desk):
    """Normal, signed distance and a point of A, see `pairs`.

    The gap along the normal proves the distance. What it does not prove is refined.
    """
    W, A, weights = room(12), room(12), room(4)
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
        if error > exact:
            n, distance, on_a, error = _better(a, b, n, distance, on_a, error, desk)
        if distance < -PROVED * size:
            # a depth that is the least nearby, not of all
            error = 1e300
    corners = count - 4 if count > 4 else count
    # cores that overlap, or so near that the search ended in rounding and v has no direction
    for _ in range(2):
        if error <= PROVED * size or distance > _NEAR_BY * size:
            break
        m, other, foot, left, off = epa(a, b, W, A, corners)
        if left > exact:
            m, other, foot, left = _better(a, b, m, other, foot, left, desk)
            off = left
            if curved and b[KIND] == HULL and other < -_DEEP * min(a[REACH], b[REACH]):
                m, other, foot, left, off = _elsewhere(a, b, m, other, foot, left, desk)
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


@helper
def _elsewhere(a, b, n, distance, on_a, error, desk):
    """The depth along n, or one that is less, of a curved shape and a hull.

    There are several local minima, most of them near normals of the hull's faces, across its edges and the
    axis of a cylinder, and along axes of the curved shape: they are looked for from the best few of these.
    The last result is how far the point of B is from where it should be.
    """
    starts, values, found, across = room(48), room(16), room(9), error
    store(starts, 0, n)
    values[0] = distance
    for k in range(1, _MINIMA):
        store(starts, k, n)
        values[k] = -1e300
    block, u = reals(int(b[BLOCK])), axis(a, 2)
    for i in range(int(block[1])):
        j = int(block[2]) + 5 * i
        m = turned(b, (-block[j], -block[j + 1], -block[j + 2]))
        _start(starts, values, m, _gap(a, b, m))
        place, count = int(block[j + 3]), int(block[j + 4])
        for c in range(count):
            p = corner(block, 1 + int(block[place + c]))
            q = corner(block, 1 + int(block[place + (c + 1) % count]))
            e = unit(cross(turned(b, minus(q, p)), u), m)
            e = scaled(e, 1.0 if dot(e, m) > 0.0 else -1.0)
            _start(starts, values, e, _gap(a, b, e))
    for i in range(6):
        m = scaled(axis(a, i % 3), 1.0 if i < 3 else -1.0)
        _start(starts, values, m, _gap(a, b, m))
    for k in range(0 if values[0] > distance else 1, _MINIMA):
        found[0], found[1], found[2] = corner(starts, k)
        call_separation(desk[REFINE], (a, b, 0.0, found, desk))
        if found[3] > distance and found[8] < _WELL_KNOWN * (a[REACH] + b[REACH]):
            n, distance, error = corner(found, 0), found[3], found[8]
            on_a, across = (found[4], found[5], found[6]), found[8]
        elif values[k] > distance:
            # along the axis of a cylinder all of a cap supports: its point is not known
            n, distance, error, across = corner(starts, k), values[k], 0.0, 1e300
    return n, distance, on_a, error, across


@helper
def _start(starts, values, m, value):
    """Keep a direction if it is among the best, of those that are near each other the better one."""
    worst = 1
    for k in range(_MINIMA):
        if dot(m, corner(starts, k)) > _OTHER and values[k] > -1e299:
            worst = k
            break
        if values[k] < values[worst]:
            worst = k
    if value > values[worst]:
        store(starts, worst, m)
        values[worst] = value


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
