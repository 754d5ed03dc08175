"""Rows that are at none of their bounds, solved together: what sweeps take long to agree on.

A sweep finds out which rows are free: those that meet the velocity they want with an impulse inside its
bounds. One linear system then gives all of them at once what they miss, as far as the first of them reaches a
bound. Where free rows contradict each other, such as a motor that closes a grip and the contacts of the grip,
impulses grow along what changes no velocity until one of them reaches its bound. Silcowitz-Hansen, Niebe and
Erleben (2010), "Projected Gauss-Seidel subspace minimization method for interactive rigid body dynamics".
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.sequential.rows import PAIR, SECOND, SINGLE

__all__ = ["close_free", "hold_free", "react", "solve_free"]

#: What a row must keep of its own response beside the others, not to depend on them.
DEPENDENT = 1e-10

#: Share of the largest velocity missed without any impulse that a row must miss beside others on which it
#: depends to contradict them: corners of a box that lie flat to the last digits do not.
_CONTRADICTION = 1e-3

#: As far as no row has a bound.
_FAR = 1e30

#: Share of a cone's radius within which an impulse counts as on it: it slides.
_ON_CONE = 1e-9


@inner()
def solve_free(rows, count, z, last):
    """Give the free rows what they miss, together; their number, -1 where there is no room for them.

    `last` is what it said before for the same rows: where they are still the same that are free, their
    responses to each other are too.
    """
    impulse, free, step, velocity, softness = (
        rows.impulse, rows.free, rows.along, rows.velocity, rows.softness
    )  # fmt: skip
    slowest, fastest, kind, first, place, y = (
        rows.slowest, rows.fastest, rows.kind, rows.first, rows.place, rows.y
    )  # fmt: skip
    n, same = _find_free(rows, count, last)
    if n > len(rows.matrix):
        return -1
    if not same:
        _factor(rows, n, 1.0)
    largest = 0.0
    for a in range(n):
        i = free[a]
        now = velocity[i] + _rate(first, place, y, i, z) + softness[i] * impulse[i]
        goal = slowest[i] if impulse[i] > 0.0 or kind[i] != SINGLE else fastest[i]
        step[a] = goal - now
        largest = max(largest, abs(goal - velocity[i]))
    most = _FAR if _solve(rows, n, _CONTRADICTION * largest) else 1.0
    share = _reach(rows, count, n, most)
    if share < _FAR:
        _push(rows, n, impulse, z, share)
    return n


@inner()
def hold_free(rows, count):
    """Find the free rows and what they do to each other; their number, 0 where there is no room for them."""
    n, _ = _find_free(rows, count, np.int64(-1))
    if n > len(rows.matrix):
        return np.int64(0)
    _factor(rows, n, 1.0)
    return n


@inner()
def react(rows, n, z):
    """Add to z what the n rows that `hold_free` found do to keep their velocities against it."""
    free, step = rows.free, rows.along
    for a in range(n):
        step[a] = -_rate(rows.first, rows.place, rows.y, free[a], z)
    _solve(rows, n, _FAR)
    _push(rows, n, rows.pseudo, z, 1.0)


@inner()
def close_free(rows, count, z, last):
    """The same for split impulses."""
    pseudo, free, step = rows.pseudo, rows.free, rows.along
    n, same = np.int64(0), True
    for i in range(count):
        one_sided = rows.low[i] == 0.0 or rows.high[i] == 0.0
        if rows.closes[i] and rows.mass[i] > 0.0 and (pseudo[i] != 0.0 or not one_sided):
            same &= n < last and free[n] == i
            free[n] = i
            n += 1
    if n > len(rows.matrix):
        return -1
    if not same or n != last:
        _factor(rows, n, 0.0)
    for a in range(n):
        step[a] = rows.closing[free[a]] - _rate(rows.first, rows.place, rows.y, free[a], z)
    _solve(rows, n, _FAR)
    share = 1.0
    for a in range(n):
        i = free[a]
        one_sided = rows.low[i] == 0.0 or rows.high[i] == 0.0
        if one_sided and pseudo[i] * (pseudo[i] + share * step[a]) < 0.0:
            share = -pseudo[i] / step[a]
    _push(rows, n, pseudo, z, share)
    return n


@inner()
def _rate(first, place, y, i, z):
    total = 0.0
    for e in range(first[i], first[i + 1]):
        total += y[e] * z[place[e]]
    return total


@inner()
def _push(rows, n, impulse, z, share):
    """Take a share of the step."""
    first, loops, place, y, free, step = rows.first, rows.loops, rows.place, rows.y, rows.free, rows.along
    for a in range(n):
        i, extra = free[a], share * step[a]
        impulse[i] += extra
        for e in range(first[i], loops[i]):
            z[place[e]] += y[e] * extra
        for e in range(loops[i], first[i + 1]):
            z[place[e]] -= y[e] * extra


@inner()
def _solve(rows, n, much):
    """The impulses in place of the velocities that the free rows miss; True where one misses too much.

    The impulses are then a direction: it speeds up the row that misses most, and changes no velocity.
    """
    matrix, step = rows.matrix, rows.along
    missed, worst = 0.0, -1
    for a in range(n):
        for b in range(a):
            step[a] -= matrix[a, b] * step[b]
        if matrix[a, a] == 0.0 and abs(step[a]) > abs(missed):
            missed, worst = step[a], a
    contradict = abs(missed) > much
    for a in range(n):
        step[a] *= matrix[a, a]
    if contradict:
        for a in range(n):
            step[a] = 0.0
        step[worst] = 1.0 if missed > 0.0 else -1.0
    for a in range(n - 1, -1, -1):
        for b in range(a):
            step[b] -= matrix[a, b] * step[a]
    return contradict


@inner()
def _find_free(rows, count, last):
    """List the free rows, both of a pair one after the other; their number, and whether they are the last."""
    kind, impulse, mass, normal, share, free = (
        rows.kind, rows.impulse, rows.mass, rows.normal, rows.share, rows.free
    )  # fmt: skip
    lowest, highest, slowest, fastest = rows.low, rows.high, rows.slowest, rows.fastest
    n, same = np.int64(0), True
    for i in range(count):
        if mass[i] == 0.0 or kind[i] == SECOND:
            continue
        p = impulse[i]
        if kind[i] == PAIR:
            radius = (1.0 - _ON_CONE) * impulse[normal[i]]
            if mass[i + 1] > 0.0 and _length(share, impulse, i) < radius:
                same &= n + 1 < last and free[n] == i
                free[n], free[n + 1] = i, i + 1
                n += 2
            continue
        low, high = lowest[i], highest[i]
        if normal[i] >= 0:
            high = share[i] * impulse[normal[i]]
            low = -high
        if low < p < high and (p != 0.0 or slowest[i] == fastest[i]):
            same &= n < last and free[n] == i
            free[n] = i
            n += 1
    return n, same and n == last


@inner()
def _length(share, impulse, i):
    """Length of a pair's impulse in units of its coefficients."""
    if share[i] == 0.0 or share[i + 1] == 0.0:
        return 1e300
    return sqrt((impulse[i] / share[i]) ** 2 + (impulse[i + 1] / share[i + 1]) ** 2)


@inner()
def _factor(rows, n, soft):
    """Responses of the free rows to each other as F P F^T: F below the diagonal, 1 / P on it.

    Their softness counts so much: 1, or 0 for split impulses.
    """
    first, loops, place, y, free, matrix, work = (
        rows.first, rows.loops, rows.place, rows.y, rows.free, rows.matrix, rows.z_along
    )  # fmt: skip
    softness, own = rows.softness, rows.own
    for k in range(rows.places[0]):
        work[k] = 0.0
    for b in range(n):
        j = free[b]
        for e in range(first[j], loops[j]):
            work[place[e]] = y[e]
        for e in range(loops[j], first[j + 1]):
            work[place[e]] = -y[e]
        for a in range(b, n):
            i, total = free[a], 0.0
            for e in range(first[i], first[i + 1]):
                total += y[e] * work[place[e]]
            matrix[a, b] = total
        for e in range(first[j], first[j + 1]):
            work[place[e]] = 0.0
        if soft > 0.0:
            matrix[b, b] += soft * softness[j]
    for k in range(n):
        j = free[k]
        # a row that depends on those before it takes nothing
        kept = matrix[k, k] > DEPENDENT * own[j]
        inverse = 1.0 / matrix[k, k] if kept else 0.0
        matrix[k, k] = inverse
        for a in range(k + 1, n):
            scaled = matrix[a, k] * inverse
            if scaled != 0.0:
                for b in range(k + 1, a + 1):
                    # above a the column is still unscaled: rows are scaled once they were used
                    matrix[a, b] -= scaled * matrix[b, k]
        for a in range(k + 1, n):
            matrix[a, k] *= inverse


@inner()
def _reach(rows, count, n, most):
    """The share of the step, at most `most`, until the first row reaches a bound."""
    kind, impulse, normal, share, free, step = (
        rows.kind, rows.impulse, rows.normal, rows.share, rows.free, rows.along
    )  # fmt: skip
    lowest, highest, slowest, fastest = rows.low, rows.high, rows.slowest, rows.fastest
    extra = rows.before
    for i in range(count):
        extra[i] = 0.0
    for a in range(n):
        extra[free[a]] = step[a]
    for a in range(n):
        i, d = free[a], step[a]
        if kind[i] == SECOND:
            continue
        p = impulse[i]
        if normal[i] >= 0:
            # |p + s d| <= radius + s growth, for the round cone of a pair and for a single row alike
            radius, growth = impulse[normal[i]], extra[normal[i]]
            u, du = p / share[i], d / share[i]
            w, dw = 0.0, 0.0
            if kind[i] == PAIR:
                w, dw = impulse[i + 1] / share[i + 1], extra[i + 1] / share[i + 1]
            most = _until(
                du * du + dw * dw - growth * growth, u * du + w * dw - radius * growth,
                u * u + w * w - radius * radius, most,
            )  # fmt: skip
            continue
        low, high = lowest[i], highest[i]
        if slowest[i] != fastest[i]:
            # a row that wants a range must not pull where it pushed
            low, high = (max(low, 0.0), high) if p > 0.0 else (low, min(high, 0.0))
        if p + most * d > high:
            most = (high - p) / d
        elif p + most * d < low:
            most = (low - p) / d
    return most


@inner()
def _until(a, b, c, most):
    """The first s with a s^2 + 2 b s + c = 0, where c < 0, if it is below `most`."""
    if (a * most + 2.0 * b) * most + c <= 0.0:
        return most
    # positive at `most`, negative at zero: there is a root between
    root = sqrt(max(b * b - a * c, 0.0))
    return min(most, max(-c / (b + root), 0.0)) if b + root > 0.0 else 0.0
