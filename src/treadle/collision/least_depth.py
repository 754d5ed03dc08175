"""Penetration depth of overlapping shapes of which one is curved: EPA over the maxima of Newton's method.

The gap along the normals has several local maxima where shapes overlap, and the depth is minus the largest.
Newton's method (`support_active`) finds one near a direction to rounding; the polytope of EPA (`epa`) knows
where to look for others: beyond a face that is farther from the origin than the least depth so far there is
none. So the polytope grows by the support points along the normals of its other faces, and every direction
that is better than all so far starts Newton's method. Near the maxima that it has found, where a curved
surface has no end of faces, the polytope is left as it is.
"""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import REFINE
from treadle.collision.epa import BEYOND, begin, flat_normal, grow, is_corner, over
from treadle.collision.kinds import BLOCK, CYLINDER, ELLIPSOID, HULL, KIND, REACH, SIZE, SPHERE
from treadle.collision.pairs import PROVED, call_separation, separation_piece, state_at
from treadle.collision.supports import core_support, inner_ball, support
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

__all__ = ["least_depth"]

#: Most corners of the polytope, and most faces that are looked at.
_CORNERS, _STEPS = 160, 600
#: Error of the depth that ends the search, of the point of a maximum that counts, and of one on a hull that
#: is better than none, as shares of the size.
_EXACT, _WELL_KNOWN, _HULL_POINT = 1e-10, 1e-7, 3e-7
#: Share of the least depth above it up to which a direction starts Newton's method; most of such starts.
_CLOSE, _STARTS = 0.001, 32
#: Most maxima, and the cosine at which one is another.
_MAXIMA, _OTHER = 32, 1.0 - 1e-10
#: Angle (rad) around a maximum that is not looked at: a share of the least of the shapes' proportions, and at
#: most this. Of shapes with edges, which no ellipsoid rounds, it is such that another maximum is better by no
#: more than a share of the size, that of a hull or of others.
_SHARE, _WIDEST, _HULL_GAIN, _GAIN = 0.1, 0.04, 1e-7, 5e-9


@separation_piece(REFINE)
def least_depth(a, b, margin, result, desk):
    """The least depth, its normal and a point of A, see `pairs`: from a normal, and its distance if known.

    A ninth number is the error, 1e300 of a result that is not known. Separate shapes have one maximum.
    """
    scale, ball = a[REACH] + b[REACH], inner_ball(a)
    r = ball + inner_ball(b)
    polytope = room(768), room(768), room(1536), room(1536), room(512), room(512), room(1536), room(512)
    W, A, found, maxima, done, tried = room(3), room(3), room(9), room(128), room(512), room(512)
    P, O, F, N, D, _, _, _ = polytope
    if result[3] < -1e299:
        call_separation(desk[REFINE], (a, b, margin, result, desk))
    n, depth, exact = corner(result, 0), -result[3] - r, _EXACT * scale
    known, starts, widest = 0, 0, min(_SHARE * min(_thinness(a), _thinness(b)), _WIDEST)
    d, edges = minus(position(b), position(a)), _have_edges(a, b)
    store(A, 0, core_support(a, n))
    store(W, 0, minus(core_support(b, scaled(n, -1.0)), corner(A, 0)))
    if result[8] <= PROVED * scale:
        known = _listed(maxima, 0, n, depth)
        store(A, 0, along((result[4], result[5], result[6]), -ball, n))
        store(W, 0, scaled(n, -depth))
    # cores that are apart have one maximum, and of those that just overlap one is as good as another
    hull = a[KIND] == HULL or b[KIND] == HULL
    gain, enough = (_HULL_GAIN, _HULL_GAIN * scale) if hull else (_GAIN, PROVED * scale)
    if known > 0 and depth < enough:
        return
    corners = begin(a, b, W, A, 1, polytope, scale)
    faces = corners
    if corners < 4:
        store(found, 0, flat_normal(P, corners, n))
        call_separation(desk[REFINE], (a, b, margin, found, desk))
        if found[3] > result[3]:
            for k in range(9):
                result[k] = found[k]
        return
    for k in range(512):
        done[k] = tried[k] = -1.0
    for _ in range(_STEPS):
        k = _nearest(D, done, F, faces)
        if k < 0 or D[k] >= depth - exact:
            break
        n = scaled(corner(N, k), -1.0)
        on_a = core_support(a, n)
        w = minus(core_support(b, scaled(n, -1.0)), on_a)
        here = -dot(n, w)
        if here - D[k] <= BEYOND * scale:
            if here < depth - exact:
                depth = here
                p, across = over(P, O, F, k, scaled(n, -1.0), D[k])
                _take(result, n, -here - r, along(p, ball, n), across)
            done[k] = _mark(F, k)
            continue
        width = widest
        if edges:
            width = min(sqrt(2.0 * gain * scale / depth), widest)
        if _explored(maxima, known, n, w, D[k], width):
            done[k] = _mark(F, k)
            continue
        close = here < (1.0 + _CLOSE) * depth and starts < _STARTS and tried[k] != _mark(F, k)
        if here < depth - exact or close:
            starts, tried[k] = starts + 1, _mark(F, k)
            before = known
            store(found, 0, n)
            for way in range(2):
                call_separation(desk[REFINE], (a, b, margin, found, desk))
                local = -found[3] - r
                if found[8] < _WELL_KNOWN * scale:
                    known = _listed(maxima, known, corner(found, 0), local)
                    if local < depth - exact or (local < depth + exact and found[8] < result[8]):
                        depth = local
                        for m in range(9):
                            result[m] = found[m]
                # of shapes that are symmetric the other way is better
                if way == 1 or known == before or dot(corner(found, 0), d) >= 0.0:
                    break
                store(found, 0, scaled(corner(found, 0), -1.0))
            if here < depth - exact and found[3] + r >= -here:
                depth = -found[3] - r
                for m in range(9):
                    result[m] = found[m]
            if here < depth - exact:
                depth = here
                _take(result, n, -here - r, along(on_a, ball, n), 1e300)
            if depth < enough:
                break
            if known > before and corners < _CORNERS:
                # the point of a maximum is a corner; this face is looked at again
                on_a = along((found[4], found[5], found[6]), -ball, corner(found, 0))
                w = scaled(corner(found, 0), found[3] + r)
                if not is_corner(P, corners, w, scale):
                    m = _farthest_below(N, D, F, faces, w)
                    grown = grow(polytope, corners, faces, m, w, on_a, scale)
                    if grown > 0:
                        corners, faces = corners + 1, grown
                continue
        grown = 0
        if corners < _CORNERS and not is_corner(P, corners, w, scale):
            grown = grow(polytope, corners, faces, k, w, on_a, scale)
        if grown == 0:
            done[k] = _mark(F, k)
        else:
            corners, faces = corners + 1, grown
    if corners == _CORNERS and a[KIND] == CYLINDER and b[KIND] == HULL:
        _around_axis(a, b, margin, result, found, desk)
    if result[8] > (_HULL_POINT if hull else PROVED) * scale:
        result[7] = 0.0


@helper
def _around_axis(a, b, margin, result, found, desk):
    """The depth of a hull deep in a cylinder along its axis, and across it and edges."""
    block, u = reals(int(b[BLOCK])), axis(a, 2)
    n, best = corner(result, 0), result[3]
    for _ in range(2):
        u = scaled(u, -1.0)
        value = dot(u, minus(support(b, scaled(u, -1.0)), support(a, u)))
        if value > best:
            n, best = u, value
    for i in range(int(block[1])):
        j = int(block[2]) + 5 * i
        m = turned(b, (-block[j], -block[j + 1], -block[j + 2]))
        place, count = int(block[j + 3]), int(block[j + 4])
        for c in range(count):
            p = corner(block, 1 + int(block[place + c]))
            q = corner(block, 1 + int(block[place + (c + 1) % count]))
            e = unit(cross(turned(b, minus(q, p)), u), m)
            e = scaled(e, 1.0 if dot(e, m) > 0.0 else -1.0)
            value = dot(e, minus(support(b, scaled(e, -1.0)), support(a, e)))
            if value > best:
                n, best = e, value
    if best > result[3] + _EXACT * (a[REACH] + b[REACH]):
        store(found, 0, n)
        call_separation(desk[REFINE], (a, b, margin, found, desk))
        if found[3] > result[3]:
            for k in range(9):
                result[k] = found[k]


@helper
def _thinness(a):
    """The least of a shape's half sizes as a share of its reach; 1 of what has none, as a triangle."""
    if a[KIND] == SPHERE or min(a[SIZE], a[SIZE + 1]) <= 0.0:
        return 1.0
    least = min(a[SIZE], a[SIZE + 1])
    if a[SIZE + 2] > 0.0:
        least = min(least, a[SIZE + 2])
    return least / a[REACH]


@helper
def _have_edges(a, b):
    """Whether the sum of two shapes has edges: of a hull, or without an ellipsoid of a box or a cylinder."""
    smooth = a[KIND] == ELLIPSOID or b[KIND] == ELLIPSOID
    return a[KIND] == HULL or b[KIND] == HULL or not smooth


@helper
def _mark(F, k):
    """The corners of a face: one in its place with other corners is another face."""
    return F[3 * k] + 1024.0 * F[3 * k + 1] + 1048576.0 * F[3 * k + 2]


@helper
def _nearest(D, done, F, faces):
    """The face nearest to the origin of those that are not done, -1 without one."""
    best = -1
    for k in range(faces):
        if F[3 * k] >= 0.0 and (best < 0 or D[k] < D[best]) and done[k] != _mark(F, k):
            best = k
    return best


@helper
def _farthest_below(N, D, F, faces, w):
    """The face that a point is farthest beyond."""
    best, most = 0, -1e300
    for k in range(faces):
        if F[3 * k] >= 0.0 and D[k] < 1e299:
            beyond = dot(corner(N, k), w) - D[k]
            if beyond > most:
                best, most = k, beyond
    return best


@helper
def _explored(maxima, known, n, w, depth, width):
    """Whether the face along n is near a maximum, whose corner bounds it, and the gap rises toward it."""
    for k in range(known):
        m = (maxima[4 * k], maxima[4 * k + 1], maxima[4 * k + 2])
        toward = along(m, -dot(m, n), n)
        near = dot(m, n) > 0.0 and norm(toward) < width and dot(toward, w) > 0.0
        if near and depth > (1.0 - width * width) * maxima[4 * k + 3]:
            return True
    return False


@helper
def _listed(maxima, known, n, depth):
    """Add a maximum, unless it is known."""
    for k in range(known):
        if n[0] * maxima[4 * k] + n[1] * maxima[4 * k + 1] + n[2] * maxima[4 * k + 2] > _OTHER:
            return known
    if known == _MAXIMA:
        return known
    maxima[4 * known], maxima[4 * known + 1], maxima[4 * known + 2] = n
    maxima[4 * known + 3] = depth
    return known + 1


@helper
def _take(result, n, distance, p, error):
    """Write a result with its error."""
    state_at(result, n, distance, p)
    result[8] = error
