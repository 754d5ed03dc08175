"""Two boxes: the separating axis theorem (Gottschalk, Lin and Manocha, 1996)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.collision.vectors import axis, dot, minus, position, scaled
from treadle.native.signatures import INT, MATRIX, REAL, kernel

__all__ = ["box_axis"]


@kernel()
def _crossed(u, v):
    x, y, z = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    s = 1.0 / sqrt(x * x + y * y + z * z)
    return (x * s, y * s, z * s)


@kernel((MATRIX, MATRIX, INT, INT, REAL))
def box_axis(X, S, a, b, margin):
    """The unit normal from A to B of the fifteen with the largest gap, and the gap; any beyond the margin."""
    d = minus(position(X, b), position(X, a))
    C = np.empty((3, 3))
    D = np.empty((3, 3))
    t, r = np.empty(3), np.empty(3)
    for i in range(3):
        u = axis(X, a, i)
        t[i] = dot(d, u)
        r[i] = dot(d, axis(X, b, i))
        for j in range(3):
            C[i, j] = dot(u, axis(X, b, j))
            D[i, j] = abs(C[i, j])
    best = -np.inf
    kind, first, second, sign = 0, 0, 0, 1.0
    for i in range(3):
        s = abs(t[i]) - S[a, i] - (S[b, 0] * D[i, 0] + S[b, 1] * D[i, 1] + S[b, 2] * D[i, 2])
        if s > best + 1e-12:
            best, kind, first, sign = s, 0, i, t[i]
        s = abs(r[i]) - S[b, i] - (S[a, 0] * D[0, i] + S[a, 1] * D[1, i] + S[a, 2] * D[2, i])
        if s > best + 1e-12:
            best, kind, first, sign = s, 1, i, r[i]
    if best <= margin:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            for m in range(3):
                o, p = (m + 1) % 3, (m + 2) % 3
                squared = 1.0 - C[i, m] * C[i, m]
                # parallel edges have no axis of their own
                if squared < 1e-10:
                    continue
                # u_i x v_m, in the axes of A
                along = t[k] * C[j, m] - t[j] * C[k, m]
                extent = S[a, j] * D[k, m] + S[a, k] * D[j, m] + S[b, o] * D[i, p] + S[b, p] * D[i, o]
                s = (abs(along) - extent) / sqrt(squared)
                # a face is preferred where rounding decides
                if s > best + 1e-12:
                    best, kind, first, second, sign = s, 2, i, m, along
    if kind < 2:
        u = axis(X, a if kind == 0 else b, first)
        return scaled(u, 1.0 if sign >= 0.0 else -1.0), best
    n = _crossed(axis(X, a, first), axis(X, b, second))
    return scaled(n, 1.0 if dot(n, d) >= 0.0 else -1.0), best
