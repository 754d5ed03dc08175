"""The gap s(n) = d . n - sum |u_k . n| - sum |M_m n| of two shapes, its slopes and its curvature.

The sums are the support functions of segments u_k and of ellipsoids or discs M_m (see `separation`).
"""

from __future__ import annotations

from math import sqrt

from treadle.collision.kinds import BOX, CAPSULE, CYLINDER, KIND, SIZE, SPHERE
from treadle.collision.vectors import axis, corner, cross, dot, norm, normal_to, scaled, store
from treadle.native.pieces import helper

__all__ = ["gap", "image", "positive", "slopes", "tangents", "terms"]


@helper
def terms(a, U, M, segments, curves):
    """Write what a shape is the sum of: segments u_k, curves M_m, and return the radius of its ball."""
    kind = a[KIND]
    if kind == SPHERE:
        return segments, curves, a[SIZE]
    if kind == CAPSULE:
        store(U, segments, scaled(axis(a, 2), a[SIZE + 1]))
        return segments + 1, curves, a[SIZE]
    if kind == BOX:
        for j in range(3):
            store(U, segments + j, scaled(axis(a, j), a[SIZE + j]))
        return segments + 3, curves, 0.0
    if kind == CYLINDER:
        store(U, segments, scaled(axis(a, 2), a[SIZE + 1]))
        store(M, 3 * curves, scaled(axis(a, 0), a[SIZE]))
        store(M, 3 * curves + 1, scaled(axis(a, 1), a[SIZE]))
        return segments + 1, curves + 1, 0.0
    for j in range(3):
        store(M, 3 * curves + j, scaled(axis(a, j), a[SIZE + j]))
    return segments, curves + 1, 0.0


@helper
def gap(n, d, U, segments, M, curves):
    """s(n): the gap between the two shapes along n."""
    total = dot(d, n)
    for k in range(segments):
        total -= abs(dot(corner(U, k), n))
    for m in range(curves):
        total -= norm(image(M, m, n))
    return total


@helper
def positive(k11, k12, k22, least):
    """A curvature with the size of its eigenvalues, which are at least `least` (saddle-free Newton)."""
    middle, spread = 0.5 * (k11 + k22), sqrt(0.25 * (k11 - k22) ** 2 + k12 * k12)
    low, high = middle - spread, middle + spread
    shift = max(abs(high), least) - high
    more = max(abs(low), least) - low - shift
    if spread > 0.0:
        # along the eigenvector of the lower one
        more *= 0.5 / spread
        return k11 + shift + more * (high - k11), k12 - more * k12, k22 + shift + more * (high - k22)
    return k11 + shift, k12, k22 + shift


@helper
def image(M, m, n):
    """M_m n."""
    return (dot(corner(M, 3 * m), n), dot(corner(M, 3 * m + 1), n), dot(corner(M, 3 * m + 2), n))


@helper
def tangents(n):
    """Two unit vectors at right angles to n and to each other."""
    e = normal_to(n)
    return e, cross(n, e)


@helper
def slopes(n, e, f, d, U, segments, M, curves):
    """Gradient of s along the tangents e and f, and the curvature K along them."""
    g1, g2 = dot(d, e), dot(d, f)
    k11 = k12 = k22 = 0.0
    for k in range(segments):
        u = corner(U, k)
        if dot(u, n) < 0.0:
            u = scaled(u, -1.0)
        g1 -= dot(u, e)
        g2 -= dot(u, f)
    for m in range(curves):
        w, we, wf = image(M, m, n), image(M, m, e), image(M, m, f)
        length = norm(w)
        # along the axis of a disc it has no slope of its own
        if length > 1e-14 * norm(corner(M, 3 * m)):
            a, b = dot(w, we) / length, dot(w, wf) / length
            g1 -= a
            g2 -= b
            k11 += (dot(we, we) - a * a) / length
            k12 += (dot(we, wf) - a * b) / length
            k22 += (dot(wf, wf) - b * b) / length
    return g1, g2, k11, k12, k22
