"""Rows that are at none of their bounds, solved together: what sweeps take long to agree on.

A sweep finds out which rows are free: those that meet the velocity they want with an impulse inside its
bounds. One linear system then gives all of them at once what they miss, as far as the first of them reaches a
bound; that one stays there, and the others go on. Where free rows contradict each other, such as a motor that
closes a grip and the contacts of the grip, impulses grow along what changes no velocity until one of them
reaches its bound. Silcowitz-Hansen, Niebe and Erleben (2010), "Projected Gauss-Seidel subspace minimization
method for interactive rigid body dynamics".

Friction that slides is among them (see `sliding`); where that leads nowhere, it keeps its impulses.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.sequential.primal import factor_places, solve_places
from treadle.solvers.sequential.row_values import cone_length, push, rate, same_places, scaled
from treadle.solvers.sequential.rows import PAIR, SECOND, SINGLE
from treadle.solvers.sequential.sliding import (
    DEPENDENT,
    ON_CONE,
    eliminate,
    fold,
    follows,
    onto_cones,
    slides,
    solve_sliding,
)

__all__ = ["begin", "close_free", "free_count", "hold_free", "react", "solve_free"]

#: Share of the largest velocity missed without any impulse that a row must miss beside others on which it
#: depends to contradict them: corners of a box that lie flat to the last digits do not.
_CONTRADICTION = 1e-3

#: As far as no row has a bound.
_FAR = 1e30

#: How often rows that are solved over their places are solved again for what they still miss.
_AGAIN = 3

#: Share of the impulses of a direction below which a row has no part in it.
_NO_PART = 1e-12

#: Share of an impulse below which nothing is left of it.
_ROUNDING = 1e-15


@inner()
def begin(rows, count, z):
    """Give contacts that have no impulse yet those that stop them, together and without friction.

    Where one would pull, the others are asked again without it. False where a row has an impulse already.
    """
    free, step = rows.free, rows.along
    n = np.int64(0)
    for i in range(count):
        if rows.impulse[i] != 0.0:
            return False
    rows.held[0] = -1
    for i in range(count):
        if rows.low[i] == 0.0 < rows.high[i] and rows.mass[i] > 0.0 and rows.velocity[i] < rows.slowest[i]:
            free[n] = i
            n += 1
    if n > len(rows.matrix):
        return True
    while n > 0:
        _respond(rows, n, 1.0)
        _factor(rows, n)
        _find_idle(rows, n)
        for a in range(n):
            step[a] = rows.slowest[free[a]] - rows.velocity[free[a]]
        _solve(rows, n, _FAR)
        _even(rows, n)
        pushing = np.int64(0)
        for a in range(n):
            if step[a] > 0.0:
                free[pushing] = free[a]
                pushing += 1
        if pushing == n:
            _push(rows, n, rows.impulse, z, 1.0)
            return True
        n = pushing
    return True


@inner()
def solve_free(rows, count, z, still, going_on):
    """Give the free rows what they miss (m/s), where it is more than `still`; False where there is no room.

    Where the rows are the same as the last time, their responses to each other are too. At the first time
    what reaches a bound stays there, and the others are to be `going_on`; later a sweep comes in between,
    which costs less.
    """
    impulse, free, step, held = rows.impulse, rows.free, rows.along, rows.held
    fresh, fewer, turns, primal, again = going_on, 2 * count + 1, True, True, _AGAIN
    while True:
        n, sliding, same = _find_free(rows, count, z, turns)
        if n > len(rows.matrix):
            return False
        largest, most = _miss(rows, n, z)
        if most <= still:
            return True
        if not same:
            held[1] = factor_places(rows, n, sliding) if primal and held[2] == 1 else 0
            if held[1] == 0:
                _respond(rows, n, 1.0)
                if sliding > 0:
                    turns = fold(rows, n) and eliminate(rows, n)
                    if not turns:
                        continue
                else:
                    _factor(rows, n)
            held[0] = n
        contradict, left = False, 0.0
        if held[1] > 0:
            left = solve_places(rows, n, held[1], sliding)
            primal = left < inf
            if not primal:
                held[0] = -1
                continue
        elif sliding > 0:
            turns = solve_sliding(rows, n, _CONTRADICTION * largest)
            if not turns:
                held[0] = -1
                continue
        else:
            if fresh:
                _find_idle(rows, n)
            contradict = _solve(rows, n, _CONTRADICTION * largest)
            if fresh and not contradict:
                _even(rows, n)
        share = _reach(rows, count, n, _FAR if contradict else 1.0)
        if share < _FAR:
            _push(rows, n, impulse, z, share)
            if sliding > 0:
                onto_cones(rows, n, z)
        if held[1] > 0 and share == 1.0 and again > 0 and (sliding > 0 or left > 0.0):
            again -= 1
            continue
        if contradict or share == 1.0 or 2 * n - sliding >= fewer or not going_on:
            return True
        for a in range(n):
            if abs(impulse[free[a]]) <= _ROUNDING * abs(share * step[a]):
                impulse[free[a]] = 0.0
        fresh, fewer = False, 2 * n - sliding


@inner()
def _miss(rows, n, z):
    """Write the velocities that the free rows miss; the largest without impulses, and with them.

    Friction that slides misses none along its slip.
    """
    impulse, free, step, velocity, softness = (
        rows.impulse, rows.free, rows.along, rows.velocity, rows.softness
    )  # fmt: skip
    slowest, fastest, kind, slides = rows.slowest, rows.fastest, rows.kind, rows.slides
    largest, most = 0.0, 0.0
    for a in range(n):
        i = free[a]
        now = velocity[i] + rate(rows.first, rows.place, rows.y, i, z) + softness[i] * impulse[i]
        goal = slowest[i] if impulse[i] > 0.0 or kind[i] != SINGLE else fastest[i]
        step[a] = goal - now
        largest = max(largest, abs(goal - velocity[i]))
        if kind[i] == SECOND and a > 0 and free[a - 1] == i - 1 and slides[i - 1] == 1:
            most = max(most, abs(rows.across[i - 1] * step[a - 1] + rows.across[i] * step[a]))
        elif slides[i] == 0:
            most = max(most, abs(step[a]))
    return largest, most


@inner()
def free_count(rows, count):
    """How many rows are free; none slides."""
    n = 0
    for i in range(count):
        if rows.kind[i] == PAIR:
            n += 2 * int(_sticks(rows, i))
        elif rows.kind[i] == SINGLE and _free(rows, i):
            n += 1
    return n


@inner()
def _sticks(rows, i):
    """Whether the impulse of a pair is inside of its cone."""
    return cone_length(rows.share, rows.impulse, i) < (1.0 - ON_CONE) * rows.impulse[rows.normal[i]]


@inner()
def _free(rows, i):
    """Whether the impulse of a single row is at none of its bounds, and one that something answers."""
    p, low, high = rows.impulse[i], rows.low[i], rows.high[i]
    if rows.normal[i] >= 0:
        high = rows.share[i] * rows.impulse[rows.normal[i]]
        low = -high
    return rows.mass[i] > 0.0 and low < p < high and (p != 0.0 or rows.slowest[i] == rows.fastest[i])


@inner()
def hold_free(rows, count):
    """Find the free rows and what they do to each other; their number, 0 where there is no room for them."""
    rows.held[0] = -1
    n, _, _ = _find_free(rows, count, rows.z_along, False)
    if n > len(rows.matrix):
        return np.int64(0)
    _respond(rows, n, 1.0)
    _factor(rows, n)
    return n


@inner()
def react(rows, n, z):
    """Add to z what the n rows that `hold_free` found do to keep their velocities against it."""
    free, step = rows.free, rows.along
    for a in range(n):
        step[a] = -rate(rows.first, rows.place, rows.y, free[a], z)
    _solve(rows, n, _FAR)
    _push(rows, n, rows.pseudo, z, 1.0)


@inner()
def close_free(rows, count, z, last):
    """The same for split impulses."""
    pseudo, free, step = rows.pseudo, rows.free, rows.along
    rows.held[0] = -1
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
        _respond(rows, n, 0.0)
        _factor(rows, n)
    for a in range(n):
        step[a] = rows.closing[free[a]] - rate(rows.first, rows.place, rows.y, free[a], z)
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
def _push(rows, n, impulse, z, share):
    """Take a share of the step."""
    first, loops, place, y, free, step = rows.first, rows.loops, rows.place, rows.y, rows.free, rows.along
    for a in range(n):
        i, extra = free[a], share * step[a]
        impulse[i] += extra
        push(first, loops, place, y, i, extra, z)


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
        if matrix[a, a] <= 0.0 and abs(step[a]) > abs(missed):
            missed, worst = step[a], a
    contradict = abs(missed) > much
    for a in range(n):
        step[a] *= max(matrix[a, a], 0.0)
    if contradict:
        for a in range(n):
            step[a] = 0.0
        step[worst] = 1.0 if missed > 0.0 else -1.0
    for a in range(n - 1, -1, -1):
        for b in range(a):
            step[b] -= matrix[a, b] * step[a]
    if contradict:
        # a row that is part of it by rounding alone would have its bound far beyond all impulses
        longest = 0.0
        for a in range(n):
            longest = max(longest, abs(step[a]))
        for a in range(n):
            if abs(step[a]) <= _NO_PART * longest:
                step[a] = 0.0
    return contradict


@inner()
def _find_free(rows, count, z, turns):
    """List the free rows, both of a pair one after the other, and those that slide where it `turns` them.

    Their number, that of the pairs that slide, and whether `rows.matrix` is theirs.
    """
    kind, impulse, mass, normal, share, free, sliders = (
        rows.kind, rows.impulse, rows.mass, rows.normal, rows.share, rows.free, rows.slides
    )  # fmt: skip
    last, n, sliding, same = rows.held[0], np.int64(0), np.int64(0), True
    for i in range(count):
        if kind[i] == PAIR:
            before, inside = sliders[i] if last >= 0 else np.int64(-1), _sticks(rows, i)
            sliders[i] = 0
            if not inside and turns and impulse[normal[i]] > 0.0 and mass[normal[i]] > 0.0:
                sliders[i], alike = slides(rows, i, z, before == 1)
                sliding += sliders[i]
                same &= alike
            if inside or sliders[i] == 1:
                same &= sliders[i] == before
                # a machine that moves in a plane answers one of them alone, and a skate's blade has one
                for k in range(i, i + 2):
                    if mass[k] > 0.0 and share[k] > 0.0:
                        same &= n < last and free[n] == k
                        free[n] = k
                        n += 1
            continue
        if kind[i] == SINGLE:
            before, sliders[i] = sliders[i] if last >= 0 else np.int64(-1), 0
            if turns and normal[i] >= 0:
                sliders[i], alike = follows(rows, i, z, before == 1)
                sliding += sliders[i]
                same &= alike
            if sliders[i] == 1 or _free(rows, i):
                same &= sliders[i] == before and n < last and free[n] == i
                free[n] = i
                n += 1
    same &= n == last
    if not same:
        rows.held[0] = -1
    return n, sliding, same


@inner()
def _respond(rows, n, soft):
    """Responses of the free rows to each other, below the diagonal and on it.

    Their softness counts so much: 1, or 0 for split impulses.
    """
    first, loops, place, y, free, matrix, work = (
        rows.first, rows.loops, rows.place, rows.y, rows.free, rows.matrix, rows.z_along
    )  # fmt: skip
    softness, alike = rows.softness, rows.before
    for k in range(rows.places[0]):
        work[k] = 0.0
    _find_alike(rows, n)
    for b in range(n):
        j = free[b]
        for e in range(first[j], loops[j]):
            work[place[e]] = y[e]
        for e in range(loops[j], first[j + 1]):
            work[place[e]] = -y[e]
        a = b
        while a < n:
            i, total = free[a], 0.0
            begin, end = first[i], first[i + 1]
            if alike[a] == 3.0:
                width, second, third = end - begin, 0.0, 0.0
                for e in range(begin, end):
                    x = work[place[e]]
                    total += y[e] * x
                    second += y[e + width] * x
                    third += y[e + 2 * width] * x
                matrix[a, b], matrix[a + 1, b], matrix[a + 2, b] = total, second, third
                a += 3
                continue
            for e in range(begin, end):
                total += y[e] * work[place[e]]
            matrix[a, b] = total
            a += 1
        for e in range(first[j], first[j + 1]):
            work[place[e]] = 0.0
        if soft > 0.0:
            matrix[b, b] += soft * softness[j]


@inner()
def _factor(rows, n):
    """The responses as F P F^T: F below the diagonal, 1 / P on it."""
    matrix, free, own, column = rows.matrix, rows.free, rows.own, rows.before
    for k in range(n):
        j = free[k]
        # a row that depends on those before it takes nothing
        kept = matrix[k, k] > DEPENDENT * own[j]
        inverse = 1.0 / matrix[k, k] if kept else 0.0
        matrix[k, k] = inverse
        # one number after the other, as those of a row
        for a in range(k + 1, n):
            column[a] = matrix[a, k]
            matrix[a, k] *= inverse
        for a in range(k + 1, n):
            scaled, row = matrix[a, k], matrix[a]
            if scaled != 0.0:
                for b in range(k + 1, a + 1):
                    row[b] -= scaled * column[b]


@inner()
def _find_alike(rows, n):
    """Write into `rows.before` 3 where three free rows in turn have the same places, else 1."""
    free, alike = rows.free, rows.before
    a = 0
    while a < n:
        alike[a] = 1.0
        if a + 2 < n and free[a + 2] == free[a] + 2 and same_places(rows.first, rows.place, free[a]):
            alike[a], alike[a + 1], alike[a + 2] = 3.0, 1.0, 1.0
            a += 2
        a += 1


@inner()
def _find_idle(rows, n):
    """Above every row that depends on those before it: impulses that change no velocity (see `_idle`)."""
    for k in range(n):
        if rows.matrix[k, k] == 0.0:
            _idle(rows, k)


@inner()
def _idle(rows, k):
    """Impulses of length one that change no velocity, across those of the rows before: in column k.

    Lengths count in units of the own responses, so that masses do not matter. That of row k itself is minus
    its diagonal.
    """
    matrix, free, own = rows.matrix, rows.free, rows.own
    for a in range(k):
        matrix[a, k] = -matrix[k, a]
    for a in range(k - 1, -1, -1):
        for b in range(a):
            matrix[b, k] -= matrix[a, b] * matrix[a, k]
    for c in range(k):
        if matrix[c, c] < 0.0:
            total = -own[free[c]] * matrix[c, c] * matrix[c, k]
            for a in range(c):
                total += own[free[a]] * matrix[a, c] * matrix[a, k]
            for a in range(c):
                matrix[a, k] -= total * matrix[a, c]
            matrix[c, k] += total * matrix[c, c]
    total = own[free[k]]
    for a in range(k):
        total += own[free[a]] * matrix[a, k] ** 2
    scale = 1.0 / sqrt(total)
    for a in range(k):
        matrix[a, k] *= scale
    matrix[k, k] = -scale


@inner()
def _even(rows, n):
    """Take what changes no velocity out of the step: corners of a box share its weight, and go on to."""
    matrix, step, free, own = rows.matrix, rows.along, rows.free, rows.own
    for k in range(n):
        if matrix[k, k] < 0.0:
            total = -own[free[k]] * matrix[k, k] * step[k]
            for a in range(k):
                total += own[free[a]] * matrix[a, k] * step[a]
            for a in range(k):
                step[a] -= total * matrix[a, k]
            step[k] += total * matrix[k, k]


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
            i -= 1
            if a > 0 and free[a - 1] == i:
                continue
        if kind[i] != SECOND and rows.slides[i] == 1:
            # it stays on its cone
            continue
        if normal[i] >= 0:
            # |p + s d| <= radius + s growth, for the round cone of a pair and for a single row alike
            radius, growth = impulse[normal[i]], extra[normal[i]]
            u, du, w, dw = scaled(share, impulse, i), scaled(share, extra, i), 0.0, 0.0
            if kind[i] == PAIR:
                w, dw = scaled(share, impulse, i + 1), scaled(share, extra, i + 1)
            most = _until(
                du * du + dw * dw - growth * growth, u * du + w * dw - radius * growth,
                u * u + w * w - radius * radius, most,
            )  # fmt: skip
            continue
        p, low, high = impulse[i], lowest[i], highest[i]
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
