"""The contact points of two shapes, once the normal between them is known.

A flat face that is met squarely is clipped with the face or line of the other shape, both seen along the
normal: each corner of what they share is a contact point. Two parallel lines share their overlap, two points.
All else touches in one point.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.collision.contacts import CONTACTS, put
from treadle.collision.features import edge, face
from treadle.collision.segments import nearest_of_segments
from treadle.collision.vectors import along, cross, dot, minus, norm, normal_to, plus, scaled
from treadle.native.signatures import BOOL, INT, MATRIX, REAL, VECTOR, kernel

__all__ = ["manifold"]

#: A face counts as met squarely if the cosine of its angle to the normal is above this.
_SQUARE = 1.0 - 1e-6
#: Lines whose angle (rad) is below this are parallel.
_PARALLEL = 1e-3
#: A direction with this slope (rad) or less lies in the plane of contact.
_LEVEL = 1e-9


@kernel()
def _witness(kind_a, kind_b, X, S, a, b, n, s, square_a, square_b, out):
    """The one point in which two shapes touch."""
    p, q = edge(kind_a, X, S, a, n, _LEVEL)
    r, t = edge(kind_b, X, S, b, scaled(n, -1.0), _LEVEL)
    on_a, on_b = nearest_of_segments(p, q, r, t)
    # a face is met by the other's foremost point
    if square_a > _SQUARE and square_a >= square_b:
        on_a = along(on_b, -s, n)
    put(out, 0, on_a, n, s)


@kernel()
def _lines(kind_a, kind_b, X, S, a, b, n, margin, out):
    """Two parallel lines: the ends of their overlap. Returns the least distance, infinite without any."""
    p, q = edge(kind_a, X, S, a, n, _PARALLEL)
    r, t = edge(kind_b, X, S, b, scaled(n, -1.0), _PARALLEL)
    u, v = minus(q, p), minus(t, r)
    length, other = norm(u), norm(v)
    if length == 0.0 or other == 0.0 or norm(cross(u, v)) > _PARALLEL * length * other:
        return np.inf
    u = scaled(u, 1.0 / length)
    first, second = dot(minus(r, p), u), dot(minus(t, p), u)
    slope = 1.0 if second > first else -1.0
    low, high = max(0.0, min(first, second)), min(length, max(first, second))
    if high < low:
        return np.inf
    deepest = np.inf
    for i in range(2):
        x = low if i == 0 else high
        if i == 1 and high - low <= 1e-9 * length:
            break
        on_a = along(p, x, u)
        on_b = along(r, (x - first) * slope / other, v)
        distance = dot(minus(on_b, on_a), n)
        deepest = min(deepest, distance)
        if distance <= margin:
            put(out, 1 + i, on_a, n, distance)
    return deepest


@kernel()
def _clipped(P, corners, Q, count, n, sign, margin, number, out):
    """Clip Q (a polygon, or a line of two points) to the polygon P, seen along n, and append its corners.

    P belongs to shape A if the sign is positive. Returns the least distance, infinite if nothing is left.
    """
    e = normal_to(n)
    f = cross(n, e)
    origin = (P[0, 0], P[0, 1], P[0, 2])
    plane = _plane(P, corners, origin, e, f, n)
    names = np.empty(20, dtype=np.int64)
    for i in range(count):
        point = minus((Q[i, 0], Q[i, 1], Q[i, 2]), origin)
        Q[i, 0], Q[i, 1], Q[i, 2] = dot(point, e), dot(point, f), dot(point, n)
        names[i] = i
    for i in range(corners):
        point = minus((P[i, 0], P[i, 1], P[i, 2]), origin)
        P[i, 0], P[i, 1] = dot(point, e), dot(point, f)
    turn = 1.0 if _area(P, corners) > 0.0 else -1.0
    work = np.empty((20, 3))
    work_names = np.empty(20, dtype=np.int64)
    for i in range(corners):
        j = (i + 1) % corners
        x, y = P[j, 0] - P[i, 0], P[j, 1] - P[i, 1]
        length = sqrt(x * x + y * y)
        if length > 0.0:
            inward = (-turn * y / length, turn * x / length)
            offset = inward[0] * P[i, 0] + inward[1] * P[i, 1]
            count = _cut(Q, names, count, inward, offset, i, work, work_names)
    return _lifted(Q, names, count, plane, origin, e, f, n, sign, margin, number, out)


@kernel()
def _plane(P, corners, origin, e, f, n):
    """Height along n of the polygon's plane, as slopes along e and f from the origin."""
    u = minus((P[1, 0], P[1, 1], P[1, 2]), origin)
    v = minus((P[corners - 1, 0], P[corners - 1, 1], P[corners - 1, 2]), origin)
    w = cross(u, v)
    steep = dot(w, n)
    if steep == 0.0:
        return 0.0, 0.0
    return -dot(w, e) / steep, -dot(w, f) / steep


@kernel()
def _area(P, corners):
    total = 0.0
    for i in range(corners):
        j = (i + 1) % corners
        total += P[i, 0] * P[j, 1] - P[j, 0] * P[i, 1]
    return total


@kernel()
def _cut(Q, names, count, inward, offset, side, work, work_names):
    """Keep what lies inside one side of the clipping polygon (Sutherland and Hodgman, 1974)."""
    kept = 0
    # a line has one edge, a polygon closes
    edges = 1 if count == 2 else count
    tolerance = 1e-12
    for i in range(count):
        j = (i + 1) % count
        here = inward[0] * Q[i, 0] + inward[1] * Q[i, 1] - offset
        there = inward[0] * Q[j, 0] + inward[1] * Q[j, 1] - offset
        if here >= -tolerance:
            work[kept, 0], work[kept, 1], work[kept, 2] = Q[i, 0], Q[i, 1], Q[i, 2]
            work_names[kept] = names[i]
            kept += 1
        if i < edges and (here < -tolerance) != (there < -tolerance) and kept < 19:
            t = here / (here - there)
            for k in range(3):
                work[kept, k] = Q[i, k] + t * (Q[j, k] - Q[i, k])
            work_names[kept] = 16 + 16 * side + names[i] % 16
            kept += 1
    for i in range(kept):
        Q[i, 0], Q[i, 1], Q[i, 2] = work[i, 0], work[i, 1], work[i, 2]
        names[i] = work_names[i]
    return kept


@kernel()
def _lifted(Q, names, count, plane, origin, e, f, n, sign, margin, number, out):
    """Append the corners, each between the plane of P and Q."""
    deepest = np.inf
    for i in range(count):
        twin = False
        for j in range(i):
            if abs(Q[i, 0] - Q[j, 0]) + abs(Q[i, 1] - Q[j, 1]) < 1e-9:
                twin = True
        if twin:
            continue
        height = plane[0] * Q[i, 0] + plane[1] * Q[i, 1]
        distance = sign * (Q[i, 2] - height)
        deepest = min(deepest, distance)
        if distance <= margin:
            base = plus(origin, plus(scaled(e, Q[i, 0]), scaled(f, Q[i, 1])))
            on_a = along(base, height if sign > 0.0 else Q[i, 2], n)
            put(out, 1024 * (1 + number) + names[i], on_a, n, distance)
    return deepest


@kernel((INT, INT, MATRIX, MATRIX, INT, INT, VECTOR, REAL, REAL, BOOL, CONTACTS))
def manifold(kind_a, kind_b, X, S, a, b, n, s, margin, sure, out):
    """Append the contact points within the margin, given the normal n and the least distance s along it.

    With `sure` False nothing is appended unless one of the points is at the distance s, which proves it.
    Returns whether there was such a point; with `sure` one is appended in any case.
    """
    start = out.total[0]
    P, Q = np.empty((20, 3)), np.empty((20, 3))
    back = scaled(n, -1.0)
    count_a, number_a, square_a = face(kind_a, X, S, a, n, 8, P)
    count_b, number_b, square_b = face(kind_b, X, S, b, back, 8, Q)
    deepest = np.inf
    if count_a > 2 and square_a > _SQUARE and square_a >= square_b - 1e-12 and count_b > 1:
        if count_b > 2:
            count_b, number_b, square_b = face(kind_b, X, S, b, back, 4, Q)
        deepest = _clipped(P, count_a, Q, count_b, n, 1.0, margin, 8 * number_a + number_b, out)
    elif count_b > 2 and square_b > _SQUARE and count_a > 1:
        if count_a > 2:
            count_a, number_a, square_a = face(kind_a, X, S, a, n, 4, P)
        deepest = _clipped(Q, count_b, P, count_a, n, -1.0, margin, 64 + 8 * number_a + number_b, out)
    else:
        deepest = _lines(kind_a, kind_b, X, S, a, b, n, margin, out)
    proved = deepest <= s + 1e-10 * (1.0 + abs(s))
    if proved or not sure:
        if not proved:
            out.total[0] = start
        return proved
    if s <= margin:
        _witness(kind_a, kind_b, X, S, a, b, n, s, square_a, square_b, out)
    return True
