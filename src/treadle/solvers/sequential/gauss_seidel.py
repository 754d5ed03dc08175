"""Rows in turn, again and again, until no impulse changes any more (projected Gauss-Seidel).

Each visit gives a row the impulse that satisfies it alone, accumulated and clipped to its bounds. Two rows of
a friction cone are solved together, exactly: what is dissipated is the most that the cone allows.
Mikhaylyuk, Strashnov and Timokhin (2018), "Algorithms of multibody dynamics simulation using articulated-body
method", section 4. Between sweeps the impulses may take a step on their own: conjugate to those before
(Silcowitz-Hansen, Niebe and Erleben (2010), "A nonsmooth nonlinear conjugate gradient method for interactive
contact force problems"), or by solving rows that are free together (see `together`).
"""

from __future__ import annotations

import numpy as np

from treadle.native.kernels import inner, kernel
from treadle.solvers.sequential.cone import DEAF, in_cone
from treadle.solvers.sequential.row_values import paired, push, push_pair, rate, rates
from treadle.solvers.sequential.rows import AT_ONCE, IN_TURN, PAIR, SECOND, SINGLE, TOGETHER
from treadle.solvers.sequential.subspace import begin, close_free, free_count, solve_free

__all__ = ["ENOUGH", "correct", "prepare", "solve"]

#: Sweeps after which the change of velocity that is asked for is ten times as large: round cones whose size
#: the impulses themselves make may have sweeps go in a circle, far below what matters.
RELAXED = 30

#: Slip (m/s) that is none.
_NO_SLIP = 1e-14

#: Sweeps up to which the change that is asked for stays.
_FIRM = 4

#: Sweeps after which a solve counts as unfinished: a change of 1e-11 m/s that is asked for has become 1e-6.
ENOUGH = 5 * RELAXED

#: Sweeps that may go by until changes are halved, and how many times larger they may become on the way; after
#: that, rows are solved in turn from where changes were least, until they are halved.
_PATIENCE, _WORSE = 40, 100.0


@kernel()
def prepare(rows, count, z):
    """Effective masses of the rows by test impulses, and z of the impulses that they have already."""
    first, loops, place, y, kind = rows.first, rows.loops, rows.place, rows.y, rows.kind
    own, mass, cross, softness, impulse = rows.own, rows.mass, rows.cross, rows.softness, rows.impulse
    rows.held[0] = -1
    for k in range(rows.places[0]):
        z[k] = 0.0
    for i in range(count):
        total = 0.0
        for e in range(first[i], loops[i]):
            total += y[e] * y[e]
        for e in range(loops[i], first[i + 1]):
            total -= y[e] * y[e]
        own[i] = total
        mass[i] = 1.0 / (total + softness[i]) if total > DEAF else 0.0
        if kind[i] == SECOND and not _part(rows, i - 1):
            cross[i - 1] = _cross(first, loops, place, y, i - 1, z)
    for i in range(count):
        if impulse[i] != 0.0:
            push(first, loops, place, y, i, impulse[i], z)


@inner()
def _part(rows, i):
    """Make two rows of a cone single ones where it has one direction; whether it has.

    Nothing answers the other one, as in a machine that moves in a plane, nor slips along it; or it has no
    friction, as along the blade of a skate.
    """
    if _lacks(rows, i) or _lacks(rows, i + 1):
        rows.kind[i] = rows.kind[i + 1] = SINGLE
        return True
    return False


@inner()
def _lacks(rows, i):
    """Whether the impulse of a row of a cone is zero, whatever the other one does; it then is."""
    if rows.share[i] > 0.0 and (rows.mass[i] > 0.0 or abs(rows.slowest[i] - rows.velocity[i]) > _NO_SLIP):
        return False
    rows.impulse[i] = 0.0
    return True


@inner()
def _cross(first, loops, place, y, i, z):
    """What an impulse of the second row of a pair does to the first; z, which is zero, stays so."""
    begin, length = first[i + 1], first[i + 1] - first[i]
    if paired(first, loops, i):
        total = 0.0
        for e in range(first[i], begin):
            total += y[e] * y[e + length]
        return total
    push(first, loops, place, y, i + 1, 1.0, z)
    total = rate(first, place, y, i, z)
    for e in range(begin, first[i + 2]):
        z[place[e]] = 0.0
    return total


@kernel()
def solve(rows, count, z, limit, tolerance, speed, way=IN_TURN, blur=0.0):
    """Impulses of the rows; sweeps and the largest change of an impulse in the last one.

    It ends when no impulse changed by more than `tolerance` (N s), or none changed its row's velocity by
    more than `speed` (m/s, growing with the sweeps), or after `limit` sweeps. z belongs to the impulses,
    before and after. `way` is what follows a sweep that is not the last. Goals are known to `blur` (m/s):
    those of rows that depend on each other may differ by as much, so that none of them can be met better.
    """
    first, loops, place, y, kind, normal, share = (
        rows.first, rows.loops, rows.place, rows.y, rows.kind, rows.normal, rows.share
    )  # fmt: skip
    slowest, fastest, low, high = rows.slowest, rows.fastest, rows.low, rows.high
    velocity, softness, impulse = rows.velocity, rows.softness, rows.impulse
    own, mass, cross = rows.own, rows.mass, rows.cross
    before, along, z_before, z_along = rows.before, rows.along, rows.z_before, rows.z_along
    sweeps, change, size, known = 0, np.inf, 0.0, 0.0
    kept, z_kept, lowest, patience = rows.kept, rows.z_kept, np.inf, _PATIENCE
    at_once, way = way == AT_ONCE, min(way, TOGETHER)
    if way == TOGETHER and not begin(rows, count, z) and (at_once or rows.held[0] >= 0):
        # or the factor of the same rows with other targets is there
        solve_free(rows, count, z, speed, True)
        known = blur
    while sweeps < limit:
        if way != IN_TURN:
            _copy(impulse, before, count)
            _copy(z, z_before, rows.places[0])
        change, jump = 0.0, 0.0
        for i in range(count):
            if kind[i] == SINGLE and mass[i] > 0.0:
                old = impulse[i]
                now = velocity[i] + rate(first, place, y, i, z) + softness[i] * old
                least, most = low[i], high[i]
                if normal[i] >= 0:
                    most = share[i] * impulse[normal[i]]
                    least = -most
                # a row that wants a range pushes only towards it: with an impulse of the right sign, or none
                faster = max(old + (slowest[i] - now) * mass[i], 0.0)
                slower = min(old + (fastest[i] - now) * mass[i], 0.0)
                impulse[i] = min(max(faster + slower, least), most)
                extra = impulse[i] - old
                if extra != 0.0:
                    push(first, loops, place, y, i, extra, z)
                extra = abs(extra)
                change, jump = max(change, extra), max(jump, extra * own[i])
            elif kind[i] == PAIR:
                old, other = impulse[i], impulse[i + 1]
                if impulse[normal[i]] == old == other == 0.0:
                    continue
                # what the velocities would be without these two impulses
                u, w = rates(first, loops, place, y, i, z)
                u += velocity[i] - own[i] * old - cross[i] * other
                w += velocity[i + 1] - cross[i] * old - own[i + 1] * other
                impulse[i], impulse[i + 1] = in_cone(
                    own[i] + softness[i], cross[i], own[i + 1] + softness[i + 1],
                    slowest[i] - u, slowest[i + 1] - w, share[i], share[i + 1], impulse[normal[i]],
                )  # fmt: skip
                old, other = impulse[i] - old, impulse[i + 1] - other
                if old != 0.0 or other != 0.0:
                    push_pair(first, loops, place, y, i, old, other, z)
                change = max(change, abs(old), abs(other))
                jump = max(jump, abs(old) * own[i], abs(other) * own[i + 1])
        sweeps += 1
        close = jump <= speed + known
        if not close and sweeps > _FIRM:
            close = jump <= (speed + known) * 10.0 ** (sweeps / RELAXED)
        if change <= tolerance or close:
            break
        if way == IN_TURN or sweeps == limit:
            continue
        patience -= 1
        if jump < 0.5 * lowest:
            lowest, patience = jump, _PATIENCE
            _copy(impulse, kept, count)
            _copy(z, z_kept, rows.places[0])
        elif patience == 0 or (patience > 0 and jump > _WORSE * lowest):
            patience = 0
            _copy(kept, impulse, count)
            _copy(z_kept, z, rows.places[0])
        if patience <= 0:
            continue
        if way == TOGETHER:
            if sweeps == 1:
                # each point alone tries to stop it all, and seems to slide: together they may stick
                inside = free_count(rows, count)
                _copy(before, impulse, count)
                if free_count(rows, count) > inside:
                    _copy(z_before, z, rows.places[0])
                else:
                    _copy(kept, impulse, count)
            if solve_free(rows, count, z, speed, sweeps == 1):
                # it worked where the directions were; one more sweep meets goals of rows that do not depend
                # on each other
                size, known = 0.0, blur
                continue
        size = _go_on(impulse, before, along, own, z, z_before, z_along, count, rows.places[0], size)
    return sweeps, change


@kernel()
def correct(rows, count, z, limit, tolerance, speed, way=IN_TURN):
    """The same for split impulses: pseudo-velocities that close what has come apart, from zero."""
    first, loops, place, y, own, low, high = (
        rows.first, rows.loops, rows.place, rows.y, rows.own, rows.low, rows.high
    )  # fmt: skip
    closes, closing, pseudo, mass = rows.closes, rows.closing, rows.pseudo, rows.mass
    before, along, z_before, z_along = rows.before, rows.along, rows.z_before, rows.z_along
    for k in range(rows.places[0]):
        z[k] = 0.0
    for i in range(count):
        pseudo[i] = 0.0
    sweeps, change, size, free = 0, np.inf, 0.0, np.int64(-1)
    while sweeps < limit:
        if way != IN_TURN:
            _copy(pseudo, before, count)
            _copy(z, z_before, rows.places[0])
        change, jump = 0.0, 0.0
        for i in range(count):
            if closes[i] and mass[i] > 0.0:
                old = pseudo[i]
                new = old + (closing[i] - rate(first, place, y, i, z)) / own[i]
                if low[i] == 0.0:
                    new = max(new, 0.0)
                elif high[i] == 0.0:
                    new = min(new, 0.0)
                pseudo[i] = new
                push(first, loops, place, y, i, new - old, z)
                extra = abs(new - old)
                change, jump = max(change, extra), max(jump, extra * own[i])
        sweeps += 1
        if change <= tolerance or jump <= speed:
            break
        if way == IN_TURN or sweeps == limit:
            continue
        if way == TOGETHER:
            free = close_free(rows, count, z, free)
            if free >= 0:
                size = 0.0
                continue
        size = _go_on(pseudo, before, along, own, z, z_before, z_along, count, rows.places[0], size)
    return sweeps, change


@inner()
def _go_on(x, before, along, own, z, z_before, z_along, count, places, size):
    """A step along the directions of the sweeps so far; the size of the last sweep's change.

    The change of a sweep is to the impulses what the residual is to a linear system, and this the method of
    Fletcher and Reeves on it. Where changes grow, it starts anew.
    """
    last, size = size, 0.0
    for i in range(count):
        size += own[i] * (x[i] - before[i]) ** 2
    if last == 0.0 or size > last:
        for i in range(count):
            along[i] = 0.0
        for k in range(places):
            z_along[k] = 0.0
        share = 0.0
    else:
        share = size / last
    for i in range(count):
        change, step = x[i] - before[i], share * along[i]
        x[i] += step
        along[i] = step + change
    for k in range(places):
        change, step = z[k] - z_before[k], share * z_along[k]
        z[k] += step
        z_along[k] = step + change
    return size


@inner()
def _copy(source, target, count):
    for k in range(count):
        target[k] = source[k]
