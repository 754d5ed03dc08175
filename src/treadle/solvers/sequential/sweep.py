"""Rows in turn, again and again, until no impulse changes any more (projected Gauss-Seidel).

Each visit gives a row the impulse that satisfies it alone, accumulated and clipped to its bounds. Two rows of
a friction cone are solved together, exactly: what is dissipated is the most that the cone allows.
Mikhaylyuk, Strashnov and Timokhin (2018), "Algorithms of multibody dynamics simulation using articulated-body
method", section 4.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import njit

from treadle.solvers.sequential.rows import PAIR, SINGLE

__all__ = ["correct", "prepare", "solve"]

#: A row that answers less than this to its own impulse (1/kg, 1/(kg m2)) is held by something else.
DEAF = 1e-14

#: Rounds of Newton's method on a cone, and how well it has to be met.
_ROUNDS, _CONE = 30, 1e-14


@njit(cache=True)
def prepare(rows, count, z):
    """Effective masses of the rows by test impulses, and z of the impulses that they have already."""
    z[:] = 0.0
    for i in range(count):
        own = 0.0
        for e in range(rows.first[i], rows.loops[i]):
            own += rows.y[e] * rows.y[e]
        for e in range(rows.loops[i], rows.first[i + 1]):
            own -= rows.y[e] * rows.y[e]
        rows.own[i] = own
        rows.mass[i] = 1.0 / (own + rows.softness[i]) if own > DEAF else 0.0
        if rows.kind[i] == PAIR:
            _push(rows, i + 1, z, 1.0)
            rows.cross[i] = _rate(rows, i, z)
            for e in range(rows.first[i + 1], rows.first[i + 2]):
                z[rows.place[e]] = 0.0
    for i in range(count):
        if rows.impulse[i] != 0.0:
            _push(rows, i, z, rows.impulse[i])


@njit(cache=True)
def solve(rows, count, z, limit, tolerance, speed):
    """Impulses of the rows; iterations and the largest change of an impulse in the last one.

    It ends when no impulse changed by more than `tolerance` (N s), or none changed its row's velocity by
    more than `speed` (m/s), or after `limit` iterations. z belongs to the impulses, before and after.
    """
    iterations, change = 0, np.inf
    while iterations < limit:
        change, jump = 0.0, 0.0
        for i in range(count):
            if rows.kind[i] == SINGLE:
                extra = _single(rows, i, z)
            elif rows.kind[i] == PAIR:
                extra = _pair(rows, i, z)
            else:
                continue
            change, jump = max(change, extra), max(jump, extra * rows.own[i])
        iterations += 1
        if change <= tolerance or jump <= speed:
            break
    return iterations, change


@njit(cache=True)
def correct(rows, count, z, limit, tolerance, speed):
    """The same for split impulses: pseudo-velocities that close what has come apart, from zero."""
    z[:] = 0.0
    rows.pseudo[:count] = 0.0
    iterations, change = 0, np.inf
    while iterations < limit:
        change, jump = 0.0, 0.0
        for i in range(count):
            if rows.closes[i] and rows.mass[i] > 0.0:
                old = rows.pseudo[i]
                new = old + (rows.closing[i] - _rate(rows, i, z)) / rows.own[i]
                if rows.low[i] == 0.0:
                    new = max(new, 0.0)
                elif rows.high[i] == 0.0:
                    new = min(new, 0.0)
                rows.pseudo[i] = new
                _push(rows, i, z, new - old)
                extra = abs(new - old)
                change, jump = max(change, extra), max(jump, extra * rows.own[i])
        iterations += 1
        if change <= tolerance or jump <= speed:
            break
    return iterations, change


@njit(cache=True)
def _single(rows, i, z):
    """Visit a row; by how much its impulse changed."""
    if rows.mass[i] == 0.0:
        return 0.0
    old = rows.impulse[i]
    velocity = rows.velocity[i] + _rate(rows, i, z) + rows.softness[i] * old
    low, high = rows.low[i], rows.high[i]
    if rows.normal[i] >= 0:
        high = rows.share[i] * rows.impulse[rows.normal[i]]
        low = -high
    # a row that wants a range pushes only towards it: with an impulse of the right sign, or none
    faster = max(old + (rows.slowest[i] - velocity) * rows.mass[i], 0.0)
    slower = min(old + (rows.fastest[i] - velocity) * rows.mass[i], 0.0)
    new = min(max(faster + slower, low), high)
    if new != old:
        rows.impulse[i] = new
        _push(rows, i, z, new - old)
    return abs(new - old)


@njit(cache=True)
def _pair(rows, i, z):
    """Visit two rows of a cone: the shortest slip that impulses of at most the normal's length allow.

    Lengths count in units of the shares, so that the cone is round: p = share q, |q| <= normal.
    """
    j, radius = i + 1, rows.impulse[rows.normal[i]]
    old_i, old_j = rows.impulse[i], rows.impulse[j]
    mu_i, mu_j = rows.share[i], rows.share[j]
    a, c, d = rows.own[i] * mu_i * mu_i, rows.cross[i] * mu_i * mu_j, rows.own[j] * mu_j * mu_j
    if radius <= 0.0 or a + d <= DEAF:
        new_i, new_j = 0.0, 0.0
    else:
        # what the velocities would be without these two impulses
        u_i = rows.velocity[i] + _rate(rows, i, z) - rows.own[i] * old_i - rows.cross[i] * old_j
        u_j = rows.velocity[j] + _rate(rows, j, z) - rows.cross[i] * old_i - rows.own[j] * old_j
        q_i, q_j = _in_disk(a, c, d, mu_i * (rows.slowest[i] - u_i), mu_j * (rows.slowest[j] - u_j), radius)
        new_i, new_j = mu_i * q_i, mu_j * q_j
    extra_i, extra_j = new_i - old_i, new_j - old_j
    if extra_i != 0.0 or extra_j != 0.0:
        rows.impulse[i], rows.impulse[j] = new_i, new_j
        _push(rows, i, z, extra_i)
        _push(rows, j, z, extra_j)
    return max(abs(extra_i), abs(extra_j))


@njit(cache=True)
def _in_disk(a, c, d, b_i, b_j, radius):
    """q with ((a, c), (c, d)) q = b if it is that short, else the best one of length `radius`.

    There (A + s I) q = b for some s > 0; |q| falls with s, and 1/|q| is all but linear in it.
    """
    # a little of it from the start: the matrix may be singular
    s = 1e-13 * (a + d)
    q_i, q_j, length = 0.0, 0.0, 1.0
    for _ in range(_ROUNDS):
        determinant = (a + s) * (d + s) - c * c
        q_i = ((d + s) * b_i - c * b_j) / determinant
        q_j = ((a + s) * b_j - c * b_i) / determinant
        length = sqrt(q_i * q_i + q_j * q_j)
        if length <= radius * (1.0 + _CONE):
            return q_i, q_j
        # -d|q|/ds |q| = q . (A + s I)^-1 q
        slope = ((d + s) * q_i * q_i - 2.0 * c * q_i * q_j + (a + s) * q_j * q_j) / determinant
        s += (length - radius) / radius * length * length / slope
    return q_i * radius / length, q_j * radius / length


@njit(cache=True)
def _rate(rows, i, z):
    """y . z: what all impulses do to the velocity of a row."""
    total = 0.0
    for e in range(rows.first[i], rows.first[i + 1]):
        total += rows.y[e] * z[rows.place[e]]
    return total


@njit(cache=True)
def _push(rows, i, z, impulse):
    """z after an impulse of a row."""
    for e in range(rows.first[i], rows.loops[i]):
        z[rows.place[e]] += rows.y[e] * impulse
    for e in range(rows.loops[i], rows.first[i + 1]):
        z[rows.place[e]] -= rows.y[e] * impulse
