"""Contact manifold: the contact points of two shapes, given the normal between them.

A face normal to it (the reference face) clips the face or line of the other shape, both projected along the
normal: each corner of the intersection is a contact point. Two parallel lines share their overlap, two
points. All else touches in one point.
"""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import TOTAL, put
from treadle.collision.features import edge, face
from treadle.collision.pairs import manifold_piece
from treadle.collision.segments import nearest_of_segments
from treadle.collision.vectors import along, corner, cross, dot, minus, norm, normal_to, plus, scaled, store
from treadle.native.pieces import helper, room

__all__ = ["manifold"]

#: A face clips the other if the cosine of its angle to the normal is above this.
_SQUARE = 1.0 - 1e-6
#: Lines whose angle (rad) is below this are parallel.
_PARALLEL = 1e-3
#: A direction with this slope (rad) or less lies in the plane of contact.
_LEVEL = 1e-9


@helper
def _witness(a, b, n, s, square_a, square_b, desk):
    """The one point in which two shapes touch."""
    p, q = edge(a, n, _LEVEL)
    r, t = edge(b, scaled(n, -1.0), _LEVEL)
    on_a, on_b = nearest_of_segments(p, q, r, t)
    # a face against the support point of the other
    if square_a > _SQUARE and square_a >= square_b:
        on_a = along(on_b, -s, n)
    put(desk, 0, on_a, n, s)


@helper
def _lines(a, b, n, margin, desk):
    """Two parallel lines: the ends of their overlap. Returns the least distance, infinite without any."""
    p, q = edge(a, n, _PARALLEL)
    r, t = edge(b, scaled(n, -1.0), _PARALLEL)
    u, v = minus(q, p), minus(t, r)
    length, other = norm(u), norm(v)
    if length == 0.0 or other == 0.0 or norm(cross(u, v)) > _PARALLEL * length * other:
        return 1e300
    u = scaled(u, 1.0 / length)
    first, second = dot(minus(r, p), u), dot(minus(t, p), u)
    slope = 1.0 if second > first else -1.0
    low, high = max(0.0, min(first, second)), min(length, max(first, second))
    if high < low:
        return 1e300
    deepest = 1e300
    for i in range(2):
        x = low if i == 0 else high
        if i == 1 and high - low <= 1e-9 * length:
            break
        on_a = along(p, x, u)
        on_b = along(r, (x - first) * slope / other, v)
        distance = dot(minus(on_b, on_a), n)
        deepest = min(deepest, distance)
        if distance <= margin:
            put(desk, 1 + i, on_a, n, distance)
    return deepest


@helper
def _clipped(P, corners, Q, count, n, sign, margin, number, desk):
    """Clip Q (a polygon, or a line of two points) to the polygon P, seen along n, and append its corners.

    P belongs to shape A if the sign is positive. Returns the least distance, infinite if nothing is left.
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
            count = _cut(Q, names, count, inward, offset, i, work, work_names)
    return _lifted(Q, names, count, plane, origin, e, f, n, sign, margin, number, desk)


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
def _cut(Q, names, count, inward, offset, side, work, work_names):
    """Keep what lies inside one side of the clipping polygon (Sutherland and Hodgman, 1974)."""
    kept = 0
    # a line has one edge, a polygon closes
    edges = 1 if count == 2 else count
    tolerance = 1e-12
    for i in range(count):
        j = (i + 1) % count
        here = inward[0] * Q[3 * i] + inward[1] * Q[3 * i + 1] - offset
        there = inward[0] * Q[3 * j] + inward[1] * Q[3 * j + 1] - offset
        if here >= -tolerance:
            store(work, kept, corner(Q, i))
            work_names[kept] = names[i]
            kept += 1
        if i < edges and (here < -tolerance) != (there < -tolerance) and kept < 19:
            t = here / (here - there)
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
def _lifted(Q, names, count, plane, origin, e, f, n, sign, margin, number, desk):
    """Append the corners, each between the plane of P and Q."""
    deepest = 1e300
    for i in range(count):
        twin = False
        for j in range(i):
            if abs(Q[3 * i] - Q[3 * j]) + abs(Q[3 * i + 1] - Q[3 * j + 1]) < 1e-9:
                twin = True
        if twin:
            continue
        height = plane[0] * Q[3 * i] + plane[1] * Q[3 * i + 1]
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

    With `sure` 0 nothing is appended unless one of the points is at the distance s, which proves it.
    Returns whether there was such a point; with `sure` one is appended in any case.
    """
    start = desk[TOTAL]
    n, s = corner(result, 0), result[3]
    P, Q = room(60), room(60)
    back = scaled(n, -1.0)
    count_a, number_a, square_a = face(a, n, 8, P)
    count_b, number_b, square_b = face(b, back, 8, Q)
    number = 512 * number_a + number_b
    if count_a > 2 and square_a > _SQUARE and square_a >= square_b - 1e-12 and count_b > 1:
        if count_b > 2:
            count_b, number_b, square_b = face(b, back, 4, Q)
        deepest = _clipped(P, count_a, Q, count_b, n, 1.0, margin, 2 * number, desk)
    elif count_b > 2 and square_b > _SQUARE and count_a > 1:
        if count_a > 2:
            count_a, number_a, square_a = face(a, n, 4, P)
        deepest = _clipped(Q, count_b, P, count_a, n, -1.0, margin, 2 * number + 1, desk)
    else:
        deepest = _lines(a, b, n, margin, desk)
    if deepest <= s + 1e-10 * (1.0 + abs(s)):
        return 1
    if sure == 0:
        desk[TOTAL] = start
        return 0
    if s <= margin:
        if result[7] != 0.0:
            put(desk, 0, (result[4], result[5], result[6]), n, s)
        else:
            _witness(a, b, n, s, square_a, square_b, desk)
    return 1
