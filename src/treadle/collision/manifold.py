"""Contact manifold: the contact points of two shapes, given the normal between them.

A face normal to it (the reference face) clips the face or line of the other shape, both projected along the
normal: each corner of the intersection is a contact point. Two parallel lines share their overlap, two
points. All else touches in one point.
"""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import TOTAL, put
from treadle.collision.features import edge, face
from treadle.collision.kinds import CAPSULE, CYLINDER, HULL, KIND, REACH, SIZE
from treadle.collision.pairs import manifold_piece
from treadle.collision.segments import nearest_of_segments
from treadle.collision.vectors import (
    along,
    axis,
    corner,
    cross,
    dot,
    minus,
    norm,
    normal_to,
    plus,
    position,
    scaled,
    store,
)
from treadle.native.pieces import helper, room

__all__ = ["manifold"]

#: A face clips the other if the cosine of its angle to the normal is above this.
_SQUARE = 1.0 - 1e-6
#: Lines whose angle (rad) is below this are parallel.
_PARALLEL = 1e-3
#: A direction with this slope (rad) or less lies in the plane of contact.
_LEVEL = 1e-9
#: Faces with no more than this slope (rad) have a point of contact that the normal does not determine well.
_FLAT = 1e-5
#: The same where the normal is that of a search.
_NEARLY_LEVEL = 1e-7
#: What is nearer than this share of the size is one.
_SAME = 1e-9
#: Rounds of projections onto two faces at most.
_ROUNDS = 60


@helper
def _witness(a, b, n, s, level, P, Q):
    """The one point in which two shapes touch, on A, and how far from it, across the normal, that of B is."""
    count_a, _, square_a = face(a, n, 8, P)
    count_b, _, square_b = face(b, scaled(n, -1.0), 8, Q)
    flat_a, flat_b = count_a > 2 and square_a > _SQUARE, count_b > 2 and square_b > _SQUARE
    if (flat_a or flat_b) and _level(P, count_a, n, _LEVEL) and _level(Q, count_b, n, _LEVEL):
        # from the centre of a cap one round does
        start = _middle(P, count_a) if a[KIND] == CYLINDER and count_a > 2 else _middle(Q, count_b)
        on_a, on_b = _meeting(a, b, n, count_a, count_b, P, Q, start)
        return on_a, norm(minus(along(on_a, s, n), on_b))
    p, q = edge(a, n, level)
    r, t = edge(b, scaled(n, -1.0), level)
    on_a, on_b = nearest_of_segments(p, q, r, t)
    if flat_a and square_a >= square_b:
        # a face against the support point of the other
        foot = along(on_b, -s, n)
        return foot, norm(minus(_projected(a, count_a, P, foot, n), foot))
    if flat_b:
        foot = along(on_a, s, n)
        return on_a, norm(minus(_projected(b, count_b, Q, foot, n), foot))
    return on_a, norm(minus(along(on_a, s, n), on_b))


@helper
def _level(P, count, n, slope):
    """Whether a face or a line is normal to n, up to a slope."""
    if count == 1:
        return False
    for i in range(1, count):
        way = minus(corner(P, i), corner(P, 0))
        if abs(dot(way, n)) > slope * norm(way):
            return False
    return True


@helper
def _meeting(a, b, n, count_a, count_b, P, Q, start):
    """A common point of two level faces, or of a face and a line, seen along n: on A and on B.

    Corners stand for the round rim of a cap: what lies between them and the rim is found by projecting onto
    both in turn.
    """
    on_a = _projected(a, count_a, P, start, n)
    on_b = on_a
    for _ in range(_ROUNDS):
        before = on_a
        on_b = _projected(b, count_b, Q, on_a, n)
        on_a = _projected(a, count_a, P, on_b, n)
        if norm(minus(on_a, before)) <= 1e-13 * norm(minus(corner(P, 1), corner(P, 0))):
            break
    return on_a, on_b


@helper
def _middle(P, count):
    """The mean of the corners: of a cap its centre."""
    total = (0.0, 0.0, 0.0)
    for i in range(count):
        total = plus(total, corner(P, i))
    return scaled(total, 1.0 / count)


@helper
def _projected(a, count, P, x, n):
    """The point of a face or line that is nearest to x, seen along n."""
    if a[KIND] == CYLINDER and count > 2:
        u = axis(a, 2)
        upper = dot(minus(corner(P, 0), position(a)), u) > 0.0
        center = along(position(a), a[SIZE + 1] if upper else -a[SIZE + 1], u)
        w = minus(x, center)
        w = along(w, -dot(w, u) / dot(n, u), n)
        length = norm(w)
        return along(center, 1.0 if length <= a[SIZE] else a[SIZE] / length, w)
    if count == 1:
        return corner(P, 0)
    if count == 2:
        x = along(x, -dot(minus(x, corner(P, 0)), n), n)
        on, _ = nearest_of_segments(corner(P, 0), corner(P, 1), x, x)
        return on
    m = cross(minus(corner(P, 1), corner(P, 0)), minus(corner(P, count - 1), corner(P, 0)))
    # along n onto the plane of the face
    x = along(x, dot(minus(corner(P, 0), x), m) / dot(m, n), n)
    best, nearest = x, 1e300
    for i in range(count):
        p, q = corner(P, i), corner(P, (i + 1) % count)
        if dot(cross(m, minus(q, p)), minus(x, p)) < 0.0:
            on, _ = nearest_of_segments(p, q, x, x)
            apart = norm(minus(on, x))
            if apart < nearest:
                best, nearest = on, apart
    return best


@helper
def _near(a, b, n, s, P, Q, start):
    """The common point of two faces that are nearly level, or of a face and a line, near a start.

    How far that of B is from where it should be is the second result, infinite without such faces.
    """
    count_a, _, square_a = face(a, n, 8, P)
    count_b, _, square_b = face(b, scaled(n, -1.0), 8, Q)
    flat = (count_a > 2 and square_a > _SQUARE) or (count_b > 2 and square_b > _SQUARE)
    if not flat or not _level(P, count_a, n, _FLAT) or not _level(Q, count_b, n, _FLAT):
        return start, 1e300
    on_a, on_b = _meeting(a, b, n, count_a, count_b, P, Q, start)
    return on_a, norm(minus(along(on_a, s, n), on_b))


@helper
def _lines(a, b, n, margin, desk):
    """Two parallel lines: the ends of their overlap. Returns the least distance, infinite without any."""
    p, q = edge(a, n, _PARALLEL)
    r, t = edge(b, scaled(n, -1.0), _PARALLEL)
    u, v = minus(q, p), minus(t, r)
    length, other = norm(u), norm(v)
    if length == 0.0 or other == 0.0 or norm(cross(u, v)) > _PARALLEL * length * other:
        return 1e300
    # seen along n
    e = scaled(along(u, -dot(u, n), n), 1.0 / length)
    side = cross(n, e)
    end, first, second = dot(u, e), dot(minus(r, p), e), dot(minus(t, p), e)
    low, high = max(0.0, min(first, second)), min(end, max(first, second))
    per_a, per_b = 1.0 / end, 1.0 / (second - first)
    one = minus(along(r, (low - first) * per_b, v), along(p, low * per_a, u))
    two = minus(along(r, (high - first) * per_b, v), along(p, high * per_a, u))
    left, right = dot(one, side), dot(two, side)
    # they are one or cross between the ends of their overlap
    if high < low or (left * right > 0.0 and min(abs(left), abs(right)) > _SAME * max(abs(low), abs(high))):
        return 1e300
    bend, sharp_b = _radius(a) + _radius(b), _radius(a) > 0.0 and _radius(b) == 0.0
    thin = min(_radius(a), _radius(b)) if _radius(a) > 0.0 and _radius(b) > 0.0 else bend
    deepest = 1e300
    for i in range(2):
        x, gap, across = (low, one, abs(left)) if i == 0 else (high, two, abs(right))
        if i == 1 and high - low <= 1e-9 * length:
            break
        # beside each other they recede: by an arc of what is round, along the faces of what is not
        distance = dot(gap, n) + (0.5 * across * across / bend if across < bend else across)
        # so far beside each other that they do not touch there
        if bend == 0.0 and across > 0.5 * _PARALLEL * min(a[REACH], b[REACH]):
            continue
        # so far that the surfaces recede by more than rounding: the nearest point is another one
        if thin == 0.0 or across * across <= 2e-10 * thin * (a[REACH] + b[REACH]):
            deepest = min(deepest, distance)
        if distance <= margin:
            on_a = along(p, x * per_a, u)
            put(desk, 1 + i, along(plus(on_a, gap), -distance, n) if sharp_b else on_a, n, distance)
    return deepest


@helper
def _radius(a):
    """Radius of what is round along its length: a capsule or a cylinder."""
    return a[SIZE] if a[KIND] == CAPSULE or a[KIND] == CYLINDER else 0.0


@helper
def _cross(p, u, r, v, n, first, low, high):
    """Whether two lines, seen along n, are one or cross between the ends of their overlap."""
    side = cross(n, u)
    one = dot(minus(along(r, low - first, v), along(p, low, u)), side)
    two = dot(minus(along(r, high - first, v), along(p, high, u)), side)
    return one * two <= 0.0 or min(abs(one), abs(two)) <= _SAME * max(abs(low), abs(high))


@helper
def _clipped(reference, P, corners, Q, count, n, s, sign, size, margin, number, desk):
    """Clip Q (a polygon, or a line of two points) to the polygon P, seen along n, and append its corners.

    P belongs to the reference, shape A if the sign is positive. Returns the least distance, infinite if
    nothing is left.
    """
    e = normal_to(n)
    f = cross(n, e)
    origin = corner(P, 0)
    plane = _plane(P, corners, origin, e, f, n)
    names, work, work_names = room(20), room(60), room(20)
    for i in range(count):
        point = minus(corner(Q, i), origin)
        store(Q, i, (dot(point, e), dot(point, f), dot(point, n)))
        names[i] = i
    for i in range(corners):
        point = minus(corner(P, i), origin)
        store(P, i, (dot(point, e), dot(point, f), 0.0))
    turn = 1.0 if _area(P, corners) > 0.0 else -1.0
    for i in range(corners):
        j = (i + 1) % corners
        x, y = P[3 * j] - P[3 * i], P[3 * j + 1] - P[3 * i + 1]
        length = sqrt(x * x + y * y)
        if length > 0.0:
            inward = (-turn * y / length, turn * x / length)
            offset = inward[0] * P[3 * i] + inward[1] * P[3 * i + 1]
            count = _cut(Q, names, count, inward, offset, 1e-12 * size, i, work, work_names)
    axes = origin, e, f, n
    return _lifted(reference, Q, names, count, plane, axes, s, sign, size, margin, number, desk)


@helper
def _plane(P, corners, origin, e, f, n):
    """Height along n of the polygon's plane, as slopes along e and f from the origin."""
    u, v = minus(corner(P, 1), origin), minus(corner(P, corners - 1), origin)
    w = cross(u, v)
    steep = dot(w, n)
    if steep == 0.0:
        return 0.0, 0.0
    return -dot(w, e) / steep, -dot(w, f) / steep


@helper
def _area(P, corners):
    total = 0.0
    for i in range(corners):
        j = (i + 1) % corners
        total += P[3 * i] * P[3 * j + 1] - P[3 * j] * P[3 * i + 1]
    return total


@helper
def _cut(Q, names, count, inward, offset, tolerance, side, work, work_names):
    """Keep what lies inside one side of the clipping polygon (Sutherland and Hodgman, 1974)."""
    kept = 0
    # a line has one edge, a polygon closes
    edges = 1 if count == 2 else count
    for i in range(count):
        j = (i + 1) % count
        here = inward[0] * Q[3 * i] + inward[1] * Q[3 * i + 1] - offset
        there = inward[0] * Q[3 * j] + inward[1] * Q[3 * j + 1] - offset
        if here >= -tolerance:
            store(work, kept, corner(Q, i))
            work_names[kept] = names[i]
            kept += 1
        if i < edges and (here < -tolerance) != (there < -tolerance) and kept < 19:
            # where both ends are within the tolerance of the side, the crossing is beyond them
            t = min(max(here / (here - there), 0.0), 1.0)
            store(work, kept, along(corner(Q, i), t, minus(corner(Q, j), corner(Q, i))))
            # the side that cut it, where it was cut from, and whether that was cut before
            again = 16 if names[i] >= 32 else 0
            work_names[kept] = 32 * (side + 1) + again + names[i] % 16
            kept += 1
    for i in range(kept):
        store(Q, i, corner(work, i))
        names[i] = work_names[i]
    return kept


@helper
def _lifted(reference, Q, names, count, plane, axes, s, sign, size, margin, number, desk):
    """Append the corners, each between the plane of P and Q; axes are the origin and three directions.

    The face of a hull is flat but for a small error: nothing is nearer than s, so its plane is lowered.
    """
    origin, e, f, n = axes
    lift, deepest = 0.0, 1e300
    if reference[KIND] == HULL:
        for i in range(count):
            height = plane[0] * Q[3 * i] + plane[1] * Q[3 * i + 1]
            lift = max(lift, s - sign * (Q[3 * i + 2] - height))
        lift *= sign
    for i in range(count):
        twin = False
        for j in range(i):
            if abs(Q[3 * i] - Q[3 * j]) + abs(Q[3 * i + 1] - Q[3 * j + 1]) < _SAME * size:
                twin = True
        if twin:
            continue
        height = plane[0] * Q[3 * i] + plane[1] * Q[3 * i + 1] - lift
        distance = sign * (Q[3 * i + 2] - height)
        deepest = min(deepest, distance)
        if distance <= margin:
            base = plus(origin, plus(scaled(e, Q[3 * i]), scaled(f, Q[3 * i + 1])))
            on_a = along(base, height if sign > 0.0 else Q[3 * i + 2], n)
            put(desk, 1024 * (1 + number) + int(names[i]), on_a, n, distance)
    return deepest


@manifold_piece
def manifold(a, b, result, margin, sure, desk):
    """Append the contact points within the margin, given the normal and the least distance s along it.

    With `sure` 0 nothing is appended unless one of the points is at the distance s, which proves it, or the
    result has a point. Returns whether there was such a point; with `sure` one is appended in any case.
    """
    start = desk[TOTAL]
    n, s = corner(result, 0), result[3]
    size = a[REACH] + b[REACH]
    P, Q = room(60), room(60)
    back = scaled(n, -1.0)
    count_a, number_a, square_a = face(a, n, 8, P)
    count_b, number_b, square_b = face(b, back, 8, Q)
    number = 512 * number_a + number_b
    if count_a > 2 and square_a > _SQUARE and square_a >= square_b - 1e-12 and count_b > 1:
        if count_b > 2:
            count_b, number_b, square_b = face(b, back, 4, Q)
        deepest = _clipped(a, P, count_a, Q, count_b, n, s, 1.0, size, margin, 2 * number, desk)
    elif count_b > 2 and square_b > _SQUARE and count_a > 1:
        if count_a > 2:
            count_a, number_a, square_a = face(a, n, 4, P)
        deepest = _clipped(b, Q, count_b, P, count_a, n, s, -1.0, size, margin, 2 * number + 1, desk)
    else:
        deepest = _lines(a, b, n, margin, desk)
    if deepest <= s + 1e-10 * (size + abs(s)):
        return 1
    if s > margin:
        return 1
    known = result[7] != 0.0
    on_a, apart = _witness(a, b, n, s, _NEARLY_LEVEL if known else _LEVEL, P, Q)
    if apart > _SAME * size:
        # the features are exact where the normal is; a search knows a point in any case
        if not known and sure == 0:
            desk[TOTAL] = start
            return 0
        near, off = _near(a, b, n, s, P, Q, (result[4], result[5], result[6]) if known else on_a)
        if off < apart or (known and off > 1e299):
            on_a = near
    put(desk, 0, on_a, n, s)
    return 1
