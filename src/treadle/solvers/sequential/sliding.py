"""Friction that slides, and resistance to rolling at its bound, among rows that are solved together.

By Newton's method on the cone (Alart and Curnier, 1991): the impulse of a pair that slides follows that of
its normal, q = n d in units of its coefficients, and its direction d turns across itself until it opposes the
slip w,

    w_across + |w| / n q_across = 0.

The matrix of all rows is then not symmetric.
"""

from __future__ import annotations

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.sequential.row_values import cone_length, push, rate, scaled
from treadle.solvers.sequential.rows import PAIR, SECOND, SINGLE

__all__ = ["DEPENDENT", "ON_CONE", "eliminate", "fold", "follows", "onto_cones", "slides", "solve_sliding"]

#: What a row must keep of its own response beside the others, not to depend on them.
DEPENDENT = 1e-10

#: Share of a cone's radius within which an impulse counts as on it: it slides.
ON_CONE = 1e-9

#: By how much a direction of sliding, and what it yields, may have changed for a factor to be used again.
_TURNED = 1e-3


@inner()
def follows(rows, i, z, before):
    """1 where resistance to rolling is at its bound and opposes the motion, and whether it is as `before`."""
    p, radius = rows.impulse[i], rows.impulse[rows.normal[i]]
    if rows.mass[i] == 0.0 or p == 0.0 or rows.mass[rows.normal[i]] == 0.0:
        return np.int64(0), True
    if abs(p) < (1.0 - ON_CONE) * rows.share[i] * radius:
        return np.int64(0), True
    u = _missed(rows, i, z)
    if u * p >= 0.0:
        return np.int64(0), True
    alike = before and rows.lean[i] * p > 0.0
    rows.lean[i] = rows.share[i] if p > 0.0 else -rows.share[i]
    return np.int64(1), alike


@inner()
def slides(rows, i, z, before):
    """1 where the impulse of a pair on its cone opposes the slip, and whether it does so as `before`.

    Sets how it follows the normal, and turns.
    """
    mass, share, impulse = rows.mass, rows.share, rows.impulse
    if mass[i] == 0.0 or mass[i + 1] == 0.0 or share[i] == 0.0 or share[i + 1] == 0.0:
        return np.int64(0), True
    radius = impulse[rows.normal[i]]
    d, e = scaled(share, impulse, i) / radius, scaled(share, impulse, i + 1) / radius
    u, w = share[i] * _missed(rows, i, z), share[i + 1] * _missed(rows, i + 1, z)
    slip = -(u * d + w * e)
    if slip <= 0.0:
        return np.int64(0), True
    lean, across, softness = rows.lean, rows.across, slip / radius
    turned = abs(lean[i] - share[i] * d) + abs(lean[i + 1] - share[i + 1] * e)
    alike = before and turned < _TURNED * (share[i] + share[i + 1])
    alike = alike and abs(softness - rows.cone_softness[i]) < _TURNED * softness
    lean[i], lean[i + 1] = share[i] * d, share[i + 1] * e
    across[i], across[i + 1] = -share[i] * e, share[i + 1] * d
    # what the direction yields to a unit of the impulse across it
    rows.cone_softness[i] = softness
    return np.int64(1), alike


@inner()
def _missed(rows, i, z):
    """What the velocity of a row is beyond its target."""
    moves = rows.velocity[i] + rate(rows.first, rows.place, rows.y, i, z)
    return moves + rows.softness[i] * rows.impulse[i] - rows.slowest[i]


@inner()
def fold(rows, n):
    """Responses to normals that friction follows, and of what turns friction, for a pair that slides.

    Its first row and column are those across its impulse, its second ones are empty, as are those of a single
    row that follows. False where a normal is not among the rows.
    """
    matrix, free, slides, lean, across = rows.matrix, rows.free, rows.slides, rows.lean, rows.across
    for a in range(n):
        for b in range(a):
            matrix[b, a] = matrix[a, b]
    for a in range(n):
        i = free[a]
        if rows.kind[i] == SECOND or slides[i] == 0:
            continue
        at = _place(free, n, rows.normal[i])
        if at == n:
            return False
        if rows.kind[i] == SINGLE:
            for r in range(n):
                matrix[r, at] += lean[i] * matrix[r, a]
                matrix[r, a] = 0.0
            continue
        for r in range(n):
            one, two = matrix[r, a], matrix[r, a + 1]
            matrix[r, at] += lean[i] * one + lean[i + 1] * two
            matrix[r, a], matrix[r, a + 1] = across[i] * one + across[i + 1] * two, 0.0
    for a in range(n):
        i = free[a]
        if rows.kind[i] == SECOND or slides[i] == 0:
            continue
        if rows.kind[i] == SINGLE:
            for b in range(n):
                matrix[a, b] = 0.0
            continue
        for b in range(n):
            matrix[a, b] = across[i] * matrix[a, b] + across[i + 1] * matrix[a + 1, b]
            matrix[a + 1, b] = 0.0
        matrix[a, a] += rows.cone_softness[i]
    return True


@inner()
def eliminate(rows, n):
    """The folded matrix as L U: L with ones on its diagonal, 1 / U on it; False where there are none."""
    matrix, free, own = rows.matrix, rows.free, rows.own
    for k in range(n):
        pivot = matrix[k, k]
        if abs(pivot) <= DEPENDENT * own[free[k]]:
            # a row that depends on those before it takes nothing
            matrix[k, k] = 0.0
            for a in range(k + 1, n):
                matrix[a, k] = 0.0
            continue
        if pivot < 0.0:
            return False
        inverse = 1.0 / pivot
        matrix[k, k] = inverse
        for a in range(k + 1, n):
            scaled = matrix[a, k] * inverse
            matrix[a, k] = scaled
            if scaled != 0.0:
                for b in range(k + 1, n):
                    matrix[a, b] -= scaled * matrix[k, b]
    return True


@inner()
def solve_sliding(rows, n, much):
    """The impulses in place of the velocities that the rows miss; False where one misses too much."""
    matrix, step, free, slides = rows.matrix, rows.along, rows.free, rows.slides
    lean, across = rows.lean, rows.across
    for a in range(n):
        i = free[a]
        if rows.kind[i] == PAIR and slides[i] == 1:
            step[a], step[a + 1] = across[i] * step[a] + across[i + 1] * step[a + 1], 0.0
        elif rows.kind[i] == SINGLE and slides[i] == 1:
            step[a] = 0.0
    for a in range(n):
        for b in range(a):
            step[a] -= matrix[a, b] * step[b]
        if matrix[a, a] == 0.0:
            if abs(step[a]) > much:
                return False
            step[a] = 0.0
    for a in range(n - 1, -1, -1):
        for b in range(a + 1, n):
            step[a] -= matrix[a, b] * step[b]
        step[a] *= matrix[a, a]
    for a in range(n):
        i = free[a]
        if rows.kind[i] == PAIR and slides[i] == 1:
            turn, push = step[a], step[_place(free, n, rows.normal[i])]
            step[a] = lean[i] * push + across[i] * turn
            step[a + 1] = lean[i + 1] * push + across[i + 1] * turn
        elif rows.kind[i] == SINGLE and slides[i] == 1:
            step[a] = lean[i] * step[_place(free, n, rows.normal[i])]
    return True


@inner()
def onto_cones(rows, n, z):
    """Impulses of pairs that slide back onto their cones, which a step leaves along their tangents."""
    impulse, share, free = rows.impulse, rows.share, rows.free
    first, loops, place, y = rows.first, rows.loops, rows.place, rows.y
    for a in range(n):
        i = free[a]
        if rows.kind[i] != PAIR or rows.slides[i] == 0:
            continue
        radius, length = max(impulse[rows.normal[i]], 0.0), cone_length(share, impulse, i)
        scale = radius / length if length > 0.0 else 0.0
        for k in range(i, i + 2):
            extra = (scale - 1.0) * impulse[k]
            impulse[k] += extra
            push(first, loops, place, y, k, extra, z)


@inner()
def _place(free, n, i):
    """The place of row i among the free ones, n if it is none."""
    for a in range(n):
        if free[a] == i:
            return a
    return n
