"""Signed distance of two primitives, by the direction that separates them best.

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

from math import pi, sqrt

import numpy as np

from treadle.collision.ascent import climb, gap
from treadle.collision.circles import climb_circles
from treadle.collision.kinds import BOX, CAPSULE, CYLINDER, SPHERE
from treadle.collision.vectors import axis, cross, dot, minus, norm, position, scaled, store, unit
from treadle.native.signatures import INT, MATRICES, MATRIX, kernel

__all__ = ["separation"]

_GOLDEN = pi * (3.0 - sqrt(5.0))
#: Directions of a hemisphere from which overlapping curved shapes are searched, and how many are followed.
_STARTS, _FOLLOWED = 24, 3
#: Vertices from which separate shapes are searched, the most promising first.
_VERTICES = 3


@kernel((INT, MATRIX, MATRIX, INT, MATRIX, MATRICES, INT, INT))
def _terms(kind, X, S, a, U, M, segments, curves):
    """Write what a shape is the sum of: segments u_k, curves M_m, and return the radius of its ball."""
    if kind == SPHERE:
        return segments, curves, S[a, 0]
    if kind == CAPSULE:
        store(U, segments, scaled(axis(X, a, 2), S[a, 1]))
        return segments + 1, curves, S[a, 0]
    if kind == BOX:
        for j in range(3):
            store(U, segments + j, scaled(axis(X, a, j), S[a, j]))
        return segments + 3, curves, 0.0
    if kind == CYLINDER:
        store(U, segments, scaled(axis(X, a, 2), S[a, 1]))
        store(M[curves], 0, scaled(axis(X, a, 0), S[a, 0]))
        store(M[curves], 1, scaled(axis(X, a, 1), S[a, 0]))
        return segments + 1, curves + 1, 0.0
    for j in range(3):
        store(M[curves], j, scaled(axis(X, a, j), S[a, j]))
    return segments, curves + 1, 0.0


@kernel()
def _corners(n, best, d, U, segments, M, curves):
    """Directions at right angles to two segments, and the axes of discs."""
    for i in range(segments):
        u = (U[i, 0], U[i, 1], U[i, 2])
        for j in range(i):
            v = (U[j, 0], U[j, 1], U[j, 2])
            w = cross(u, v)
            # nearly parallel segments have no direction of their own
            if norm(w) > 1e-10 * norm(u) * norm(v):
                n, best = _try(unit(w, n), n, best, d, U, segments, M, curves)
    for m in range(curves):
        w = cross((M[m, 0, 0], M[m, 0, 1], M[m, 0, 2]), (M[m, 1, 0], M[m, 1, 1], M[m, 1, 2]))
        n, best = _try(unit(w, n), n, best, d, U, segments, M, curves)
    return n, best


@kernel()
def _try(candidate, n, best, d, U, segments, M, curves):
    """The better of two directions, the candidate with the sign that points from A to B."""
    if dot(candidate, d) < 0.0:
        candidate = scaled(candidate, -1.0)
    value = gap(candidate, d, U, segments, M, curves)
    if value > best:
        return candidate, value
    return n, best


@kernel()
def _smooth(n, best, d, U, segments, M, curves):
    """Directions along which both shapes have a single foremost point."""
    # one vertex of every segment: what is left is a point and the curves
    patterns = 1 << segments
    starts, values = np.empty((patterns, 3)), np.empty(patterns)
    for pattern in range(patterns):
        x, y, z = d
        for k in range(segments):
            sign = 1.0 if pattern & (1 << k) else -1.0
            x -= sign * U[k, 0]
            y -= sign * U[k, 1]
            z -= sign * U[k, 2]
        w = unit((x, y, z), n)
        store(starts, pattern, w)
        values[pattern] = gap(w, d, U, segments, M, curves)
    for _ in range(min(_VERTICES, patterns)):
        i = np.argmax(values)
        w, value = (starts[i, 0], starts[i, 1], starts[i, 2]), values[i]
        if curves > 0:
            w, value = climb(w, d, U, segments, M, curves)
        if value > best:
            n, best = w, value
        values[i] = -np.inf
    if curves > 0:
        other, value = climb(n, d, U, segments, M, curves)
        if value > best:
            n, best = other, value
        if best < 0.0:
            n, best = _search(n, best, d, U, segments, M, curves)
    return n, best


@kernel()
def _search(n, best, d, U, segments, M, curves):
    """Overlapping curved shapes may have several locally best directions: climb from the best of many."""
    count = _STARTS + 3 * curves
    starts = np.empty((count, 3))
    values = np.empty(count)
    for i in range(count):
        if i < _STARTS:
            z = (i + 0.5) / _STARTS
            flat = sqrt(1.0 - z * z)
            w = (flat * np.cos(_GOLDEN * i), flat * np.sin(_GOLDEN * i), z)
        else:
            m, j = divmod(i - _STARTS, 3)
            w = unit((M[m, j, 0], M[m, j, 1], M[m, j, 2]), n)
        if dot(w, d) < 0.0:
            w = scaled(w, -1.0)
        store(starts, i, w)
        values[i] = gap(w, d, U, segments, M, curves)
    for _ in range(_FOLLOWED):
        i = np.argmax(values)
        w = (starts[i, 0], starts[i, 1], starts[i, 2])
        other, value = climb(w, d, U, segments, M, curves)
        if value > best:
            n, best = other, value
        # what lies near this start leads to the same place
        for j in range(count):
            if dot(w, (starts[j, 0], starts[j, 1], starts[j, 2])) > 0.9:
                values[j] = -np.inf
        values[i] = -np.inf
    return n, best


@kernel((INT, INT, MATRIX, MATRIX, INT, INT))
def separation(kind_a, kind_b, X, S, a, b):
    """The unit normal from A to B and the signed distance along it."""
    U = np.zeros((6, 3))
    M = np.zeros((2, 3, 3))
    segments, curves, r = _terms(kind_a, X, S, a, U, M, 0, 0)
    segments, curves, s = _terms(kind_b, X, S, b, U, M, segments, curves)
    r += s
    d = minus(position(X, b), position(X, a))
    n = unit(d, axis(X, a, 2))
    best = gap(n, d, U, segments, M, curves)
    n, best = _corners(n, best, d, U, segments, M, curves)
    n, best = climb_circles(n, best, d, U, segments, M, curves)
    n, best = _smooth(n, best, d, U, segments, M, curves)
    return n, best - r
