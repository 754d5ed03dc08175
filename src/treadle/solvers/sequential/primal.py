"""The free rows solved over the places that they move (primal), where these are not many more than the rows.

Rows yield to their impulses by their softness, or by a share of their own response where they are rigid. With
p = G (r - Y dz) for the velocities r that they miss, where G has a block for every contact (friction that
slides follows its normal, see `sliding`) and one number for any other row,

    (1 + Y^T G Y) dz = Y^T G r.

Eliminated from the leaves to the base, the matrix keeps the zeros of the tree. What rigid rows yield is taken
back by solving again for what is missed then; redundant ones share what they change. Rows that held loops
act on, and rigid ones that contradict each other, are left to the dense solve of `subspace`.
"""

from __future__ import annotations

from math import inf

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.sequential.row_values import same_places
from treadle.solvers.sequential.rows import PAIR, SINGLE

__all__ = ["factor_places", "solve_places"]

#: Share of its own response by which a rigid row yields, and the share of what is missed that may be left.
_YIELDS, _LEFT = 1e-8, 1e-2

#: Free rows from which on they are solved over their places, and how many times as many these may be: most
#: of their matrix is zero.
_MANY, _LARGER = 16, 2


@inner()
def factor_places(rows, n, sliding):
    """Factor the matrix over the places of the n free rows; how many these are, 0 where there is none."""
    if n < _MANY:
        return np.int64(0)
    m = _number_places(rows, n)
    if m > _LARGER * n or m > len(rows.matrix) or not _find_gains(rows, n):
        return np.int64(0)
    matrix = rows.matrix
    for k in range(m):
        row = matrix[k]
        for c in range(m):
            row[c] = 0.0
        row[k] = 1.0
    _assemble(rows, n, m, sliding == 0)
    if not _eliminate(matrix, m, sliding == 0):
        return np.int64(0)
    return m


@inner()
def _number_places(rows, n):
    """Number the places of the free rows; how many these are, more than there is room for with held loops."""
    first, place, free, at = rows.first, rows.place, rows.free, rows.at
    count, m = rows.places[0], np.int64(0)
    for k in range(count):
        at[k] = -1
    for a in range(n):
        i = free[a]
        if rows.loops[i] < first[i + 1]:
            return np.int64(len(rows.matrix) + 1)
        for e in range(first[i], first[i + 1]):
            at[place[e]] = 0
    for k in range(count):
        if at[k] == 0:
            at[k] = m
            m += 1
    return m


@inner()
def _find_gains(rows, n):
    """What the impulses of a row or a block gain from the velocities that it misses; False for none."""
    free, kind, slides, block, gain = rows.free, rows.kind, rows.slides, rows.block, rows.gain
    lean, across, softness = rows.lean, rows.across, rows.softness
    a = 0
    while a < n:
        i = free[a]
        if kind[i] == SINGLE and slides[i] == 1:
            return False
        three = a + 2 < n and free[a + 2] == i + 2 and kind[i + 1] == PAIR and rows.normal[i + 1] == i
        three = three and kind[i] == SINGLE and same_places(rows.first, rows.place, i)
        if not three:
            if kind[i] == PAIR and slides[i] == 1:
                return False
            block[a], gain[3 * a] = 1, 1.0 / _yields(rows, i)
            a += 1
            continue
        block[a] = 3
        for k in range(3 * a, 3 * a + 9):
            gain[k] = 0.0
        normal = 1.0 / _yields(rows, i)
        gain[3 * a] = normal
        if slides[i + 1] == 0:
            gain[3 * a + 4], gain[3 * a + 8] = 1.0 / _yields(rows, i + 1), 1.0 / _yields(rows, i + 2)
        else:
            x, y = across[i + 1], across[i + 2]
            turn = 1.0 / (rows.cone_softness[i + 1] + softness[i + 1] * x * x + softness[i + 2] * y * y)
            skew = softness[i + 1] * x * lean[i + 1] + softness[i + 2] * y * lean[i + 2]
            for k in range(1, 3):
                g = 3 * (a + k)
                gain[g] = (lean[i + k] - across[i + k] * skew * turn) * normal
                gain[g + 1], gain[g + 2] = across[i + k] * turn * x, across[i + k] * turn * y
        a += 3
    return True


@inner()
def _yields(rows, i):
    """Velocity by which a row yields to a unit of its impulse."""
    return max(rows.softness[i], _YIELDS * rows.own[i])


@inner()
def _assemble(rows, n, m, symmetric):
    """Add Y^T G Y, below the diagonal and on it where that is all there is to know."""
    first, place, y, free, at, matrix = rows.first, rows.place, rows.y, rows.free, rows.at, rows.matrix
    block, gain, one, two, three = rows.block, rows.gain, rows.z_along, rows.z_before, rows.z_third
    for k in range(m):
        one[k] = two[k] = three[k] = 0.0
    a = 0
    while a < n:
        i, g = free[a], 3 * a
        begin, end = first[i], first[i + 1]
        width, low, high = end - begin, m, np.int64(0)
        for e in range(begin, end):
            k = at[place[e]]
            one[k] = y[e]
            low, high = min(low, k), max(high, k + 1)
        if block[a] == 1:
            for e in range(begin, end):
                k = at[place[e]]
                f, row = gain[g] * y[e], matrix[k]
                for c in range(low, k + 1 if symmetric else high):
                    row[c] += f * one[c]
            for e in range(begin, end):
                one[at[place[e]]] = 0.0
            a += 1
            continue
        for e in range(begin, end):
            k = at[place[e]]
            two[k], three[k] = y[e + width], y[e + 2 * width]
        for e in range(begin, end):
            k = at[place[e]]
            u, v, w, row = y[e], y[e + width], y[e + 2 * width], matrix[k]
            p = gain[g] * u + gain[g + 3] * v + gain[g + 6] * w
            q = gain[g + 4] * v + gain[g + 7] * w
            r = gain[g + 5] * v + gain[g + 8] * w
            for c in range(low, k + 1 if symmetric else high):
                row[c] += p * one[c] + q * two[c] + r * three[c]
        for e in range(begin, end):
            k = at[place[e]]
            one[k] = two[k] = three[k] = 0.0
        a += 3


@inner()
def _eliminate(matrix, m, symmetric):
    """The matrix as U L from the last place to the first, inverse pivots on the diagonal; False for none.

    L is what stays of the rows, below the diagonal. Where it is not symmetric, U stands above the diagonal.
    """
    for k in range(m - 1, -1, -1):
        row, pivot = matrix[k], matrix[k, k]
        if not pivot > 0.0:
            return False
        inverse = 1.0 / pivot
        row[k] = inverse
        for a in range(k):
            above = row[a] if symmetric else matrix[a, k]
            if above == 0.0:
                continue
            share, other = above * inverse, matrix[a]
            if not symmetric:
                other[k] = share
            for c in range(a + 1 if symmetric else k):
                other[c] -= share * row[c]
    return True


@inner()
def solve_places(rows, n, m, sliding):
    """The impulses in place of the velocities that the rows miss, and what rigid ones miss with these (m/s).

    That is infinite where it is too much. `rows.z_along` is what they do to the places.
    """
    first, place, y, free, at, matrix = rows.first, rows.place, rows.y, rows.free, rows.at, rows.matrix
    step, block, gain, x = rows.along, rows.block, rows.gain, rows.z_along
    if sliding > 0:
        # directions of sliding may have turned a little since the matrix was factored
        _find_gains(rows, n)
    for k in range(m):
        x[k] = 0.0
    missed = 0.0
    a = 0
    while a < n:
        i, width, g = free[a], first[free[a] + 1] - first[free[a]], 3 * a
        missed = max(missed, abs(step[a]))
        if block[a] == 1:
            p = gain[g] * step[a]
            for e in range(first[i], first[i + 1]):
                x[at[place[e]]] += p * y[e]
            a += 1
            continue
        p, q, r = _times(gain, g, step[a], step[a + 1], step[a + 2])
        missed = max(missed, abs(step[a + 1]), abs(step[a + 2]))
        for e in range(first[i], first[i + 1]):
            x[at[place[e]]] += p * y[e] + q * y[e + width] + r * y[e + 2 * width]
        a += 3
    _substitute(matrix, m, x, sliding == 0)
    left = 0.0
    a = 0
    while a < n:
        i, width, g = free[a], first[free[a] + 1] - first[free[a]], 3 * a
        p, q, r = 0.0, 0.0, 0.0
        if block[a] == 1:
            for e in range(first[i], first[i + 1]):
                p += y[e] * x[at[place[e]]]
            step[a] = gain[g] * (step[a] - p)
        else:
            for e in range(first[i], first[i + 1]):
                value = x[at[place[e]]]
                p += y[e] * value
                q += y[e + width] * value
                r += y[e + 2 * width] * value
            step[a], step[a + 1], step[a + 2] = _times(gain, g, step[a] - p, step[a + 1] - q, step[a + 2] - r)
        for b in range(a, a + block[a]):
            yields = _YIELDS * rows.own[free[b]]
            if rows.softness[free[b]] < yields and rows.slides[free[b]] == 0:
                left = max(left, yields * abs(step[b]))
        a += block[a]
    return left if left <= _LEFT * missed else inf


@inner()
def _times(gain, g, u, v, w):
    """Impulses of a block."""
    return (
        gain[g] * u,
        gain[g + 3] * u + gain[g + 4] * v + gain[g + 5] * w,
        gain[g + 6] * u + gain[g + 7] * v + gain[g + 8] * w,
    )


@inner()
def _substitute(matrix, m, x, symmetric):
    """Solve in place of x."""
    for k in range(m - 1, -1, -1):
        row, value = matrix[k], x[k]
        if symmetric:
            value *= row[k]
            for a in range(k):
                x[a] -= row[a] * value
        else:
            for a in range(k):
                x[a] -= matrix[a, k] * value
    for k in range(m):
        row, total = matrix[k], x[k]
        for a in range(k):
            total -= row[a] * x[a]
        x[k] = total * row[k]
