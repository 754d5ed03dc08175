"""Impulses of a table of rows: islands apart, each from its warm start or from the inside of its cones."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from treadle.native.kernels import inner, kernel
from treadle.solvers.row_solver.interior_point import interior_point
from treadle.solvers.row_solver.island import DEAF, gather, write_back
from treadle.solvers.row_solver.newton import newton
from treadle.solvers.row_solver.proximal import proximal
from treadle.solvers.row_solver.table import PAIR, SECOND
from treadle.solvers.row_solver.yielding import energy_gain, rebounds, scale_rebounds, yielding

__all__ = [
    "BOTH",
    "INTERIOR",
    "NEWTON",
    "NO_GAIN",
    "PROXIMAL",
    "YIELDING",
    "find_root",
    "impulses_to_places",
    "residuals",
    "solve_rows",
]

#: Methods of an island: Newton steps from the warm start, the interior point, all of them in turn, and the
#: proximal point method alone; and the limit of rows that yield, from no impulses (see `yielding`).
NEWTON, INTERIOR, BOTH, PROXIMAL, YIELDING = 1, 2, 3, 4, 5

#: Methods in turn, and iterations of each: Newton steps end where the active sets are those of before, a few
#: rounds of proximal points where some of them change, the interior point finds them anew, and many rounds of
#: proximal points settle what redundant rows share.
_TURNS = ((NEWTON, 6), (PROXIMAL, 30), (INTERIOR, 40), (PROXIMAL, 300))

#: Places from which on an island is very large, and the residual (m/s) up to which it then is left as it is:
#: redundant rows whose targets contradict each other.
_VERY_LARGE, _NEAR = 3000, 1e-4

#: Share of the velocity of an island's rows without impulses to which they are solved, and at most (m/s).
_RELATIVE, _MOST_LEFT = 2e-10, 5e-9

#: Energy that an impact may gain by rounding, relative to that of its impulses, and solves until it is so.
NO_GAIN, _SHARES = 1e-9, 20


@kernel()
def solve_rows(rows, count, z, residual, limit, tolerance, way=BOTH):
    """Find the impulses of the first `count` rows; the iterations taken, and the residual left (m/s).

    They start from the impulses that the rows have. It ends when the natural residual of every row is at most
    `tolerance` (m/s), or a small share of the velocities that its island has without impulses, beyond what
    the targets of the island are known to (`rows.error`), or an island took `limit` iterations, each with one
    sparse factorization. Afterwards z (places) belongs to the impulses, and `residual` (rows) holds what was
    left of each row; what is returned of it is beyond these errors. The rows of a contact follow its normal
    row.
    """
    impulses_to_places(rows, count, z)
    worst = residuals(rows, count, z, residual)
    if worst <= tolerance:
        return 0, worst
    places, own = rows.places[0], np.zeros(count)
    _own(rows, count, own)
    members, bounds, order, begins, held = _islands(rows, count, places)
    base, at = np.zeros(places), np.zeros(places, np.int64)
    most = 0
    for k in range(len(bounds) - 1):
        left, error = _left(rows, residual, members, bounds[k], bounds[k + 1])
        if left <= tolerance + error:
            continue
        island = gather(
            rows, own, members, bounds[k], bounds[k + 1], order[begins[k] : begins[k + 1]], held[k], base, at
        )
        enough = max(tolerance, min(_RELATIVE * _speed(rows, members, bounds[k], bounds[k + 1]), _MOST_LEFT))
        if way == YIELDING:
            taken = _solve_impact(island, limit, enough + error)
            rebounds(island, rows.slowest)
        else:
            taken = _solve_island(island, limit, enough + error, way)
        write_back(island, rows.impulse)
        most = max(most, taken)
    impulses_to_places(rows, count, z)
    worst = residuals(rows, count, z, residual)
    if worst < inf:
        worst = 0.0
        for k in range(len(bounds) - 1):
            left, error = _left(rows, residual, members, bounds[k], bounds[k + 1])
            worst = max(worst, left - error)
    return most, worst


@inner()
def _left(rows, residual, members, begin, end):
    """The largest residual of an island, and the velocity (m/s) to which its targets are known."""
    left, error = 0.0, 0.0
    for m in range(begin, end):
        left, error = max(left, residual[members[m]]), max(error, rows.error[members[m]])
    return left, error


@inner()
def _speed(rows, members, begin, end):
    """The largest velocity (m/s) of the rows of an island without impulses."""
    fastest = 0.0
    for m in range(begin, end):
        fastest = max(fastest, abs(rows.velocity[members[m]]))
    return fastest


@inner()
def _solve_impact(island, limit, tolerance):
    """Impulses of an impact, which restitution and friction together let add no energy; the iterations taken.

    Newton's law u' = -e u may do that: a spinning body whose contact sticks comes out faster than it went in.
    There the restitution is the share of e with which the energy stays. Without any, energy never grows.
    """
    taken = _solve_island(island, limit, tolerance, YIELDING)
    high, above = 1.0, energy_gain(island)
    if above <= NO_GAIN:
        return taken
    wanted, share, low, below, best = island.target.copy(), 0.0, 0.0, 0.0, island.p.copy()
    for turn in range(_SHARES):
        if turn > 0:
            share = (low * above - high * below) / (above - below)
        scale_rebounds(island, wanted, share)
        island.p[:] = 0.0
        taken += _solve_island(island, limit, tolerance, YIELDING)
        gain = energy_gain(island)
        if turn == 0 or gain <= NO_GAIN:
            # the Illinois method: an end that stays counts half
            low, below, above = share, min(gain, 0.0), 0.5 * above if turn > 1 else above
            best[:] = island.p
            if gain >= -NO_GAIN:
                break
        else:
            high, above, below = share, gain, 0.5 * below
    scale_rebounds(island, wanted, low)
    island.p[:] = best
    return taken


@inner()
def _solve_island(island, limit, tolerance, way):
    """Impulses of an island, which keeps the best; the iterations taken."""
    best, left, taken = island.p.copy(), inf, 0
    if way == YIELDING:
        taken, left = yielding(island, limit, tolerance)
        best[:] = island.p
    elif way != BOTH:
        return _take_turn(island, way, limit, tolerance)[0]
    for turn in range(len(_TURNS)):
        method, most = _TURNS[turn]
        if turn == len(_TURNS) - 1:
            tolerance = max(tolerance, _MOST_LEFT)
        steps = min(most, limit - taken)
        if steps <= 0 or left <= tolerance or (island.sizes[0] > _VERY_LARGE and left <= _NEAR):
            break
        more, now = _take_turn(island, method, steps, tolerance)
        taken += more
        if now < left:
            left = now
            best[:] = island.p
        else:
            island.p[:] = best
    return taken


@inner()
def _take_turn(island, method, limit, tolerance):
    """One method from the impulses of the island, which keeps its best; the iterations and the residual."""
    if method == NEWTON:
        return newton(island, limit, tolerance)
    if method == PROXIMAL:
        return proximal(island, limit, tolerance)
    return interior_point(island, limit, tolerance)


@kernel()
def impulses_to_places(rows, count, z):
    """z = S Y^T p."""
    first, loops, place, y, impulse = rows.first, rows.loops, rows.place, rows.y, rows.impulse
    for k in range(rows.places[0]):
        z[k] = 0.0
    for i in range(count):
        p = impulse[i]
        if p != 0.0:
            for e in range(first[i], loops[i]):
                z[place[e]] += y[e] * p
            for e in range(loops[i], first[i + 1]):
                z[place[e]] -= y[e] * p


@kernel()
def residuals(rows, count, z, residual):
    """Natural residual (m/s) of every row, and the largest.

    It is what the velocity of a row misses of its target, as far as its bounds or its cone allow impulses
    towards it, or what an impulse is out of them, times the inverse effective mass.
    """
    first, loops, place, y, kind, normal, share, softness = (
        rows.first, rows.loops, rows.place, rows.y, rows.kind, rows.normal, rows.share, rows.softness
    )  # fmt: skip
    velocity, slowest, fastest, low, high, impulse = (
        rows.velocity, rows.slowest, rows.fastest, rows.low, rows.high, rows.impulse
    )  # fmt: skip
    worst, total = 0.0, 0.0
    for i in range(count):
        if kind[i] == SECOND:
            continue
        own, u, p = _row(first, loops, place, y, z, i)
        residual[i] = 0.0
        p = impulse[i]
        u += velocity[i] + softness[i] * p
        if kind[i] == PAIR:
            residual[i + 1] = 0.0
            radius = max(impulse[normal[i]], 0.0)
            other_own, other_u, _ = _row(first, loops, place, y, z, i + 1)
            other_u += velocity[i + 1] + softness[i + 1] * impulse[i + 1] - slowest[i + 1]
            u -= slowest[i]
            mu, other_mu = share[i], share[i + 1]
            mu = mu if own > DEAF else 0.0
            other_mu = other_mu if other_own > DEAF else 0.0
            if mu == 0.0 and other_mu == 0.0:
                continue
            scale = max(mu * mu * (own + softness[i]), other_mu * other_mu * (other_own + softness[i + 1]))
            q = impulse[i] / mu if mu > 0.0 else 0.0
            other_q = impulse[i + 1] / other_mu if other_mu > 0.0 else 0.0
            w, other_w = q - mu * u / scale, other_q - other_mu * other_u / scale
            length = sqrt(w * w + other_w * other_w)
            shrink = radius / length if length > radius else 1.0
            if mu > 0.0:
                residual[i] = abs(q - shrink * w) * scale / mu
            if other_mu > 0.0:
                residual[i + 1] = abs(other_q - shrink * other_w) * scale / other_mu
            worst = max(worst, residual[i], residual[i + 1])
            total += residual[i] + residual[i + 1]
            continue
        if own <= DEAF:
            continue
        scale = own + softness[i]
        least, most = low[i], high[i]
        if normal[i] >= 0:
            most = share[i] * max(impulse[normal[i]], 0.0)
            least = -most
        faster = max(p + (slowest[i] - u) / scale, 0.0) if slowest[i] > -inf else 0.0
        slower = min(p + (fastest[i] - u) / scale, 0.0) if fastest[i] < inf else 0.0
        residual[i] = abs(min(max(faster + slower, least), most) - p) * scale
        worst = max(worst, residual[i])
        total += residual[i]
    # comparisons pass over what is not a number, sums do not
    return worst if total < inf else inf


@inner()
def _row(first, loops, place, y, z, i):
    """Inverse effective mass of a row, and what z does to its velocity."""
    own, rate = 0.0, 0.0
    for e in range(first[i], loops[i]):
        own += y[e] * y[e]
        rate += y[e] * z[place[e]]
    for e in range(loops[i], first[i + 1]):
        own -= y[e] * y[e]
        rate += y[e] * z[place[e]]
    return own, rate, 0.0


@inner()
def _own(rows, count, own):
    for i in range(count):
        total = 0.0
        for e in range(rows.first[i], rows.loops[i]):
            total += rows.y[e] * rows.y[e]
        for e in range(rows.loops[i], rows.first[i + 1]):
            total -= rows.y[e] * rows.y[e]
        own[i] = total


@inner()
def _islands(rows, count, places):
    """Rows and places by island, in the order of their first rows.

    Row numbers and where each island begins among them; places, from the last to the first, those of held
    loops at the end, and where each island begins among them; and its number of held loops.
    """
    first, loops, place, normal = rows.first, rows.loops, rows.place, rows.normal
    root, looped = np.arange(places), np.zeros(places, np.bool_)
    for i in range(count):
        if first[i] == first[i + 1]:
            continue
        a, last = find_root(root, place[first[i]]), np.int64(-1)
        for e in range(first[i] + 1, first[i + 1]):
            # the places of a row are often connected already
            b = root[place[e]]
            if b not in (a, last):
                b = find_root(root, b)
                root[b] = a
            last = b
        for e in range(loops[i], first[i + 1]):
            looped[place[e]] = True
        n = normal[i]
        if n >= 0 and first[n] < first[n + 1]:
            root[find_root(root, place[first[n]])] = a
    number, of_row, found = np.full(places, -1), np.zeros(count, np.int64), 0
    for i in range(count):
        k = normal[i] if normal[i] >= 0 else i
        of_row[i] = -1
        if first[k] < first[k + 1]:
            a = find_root(root, place[first[k]])
            if number[a] < 0:
                number[a] = found
                found += 1
            of_row[i] = number[a]
    members, bounds = _sorted(of_row, found, False)
    of_place, held = np.full(places, -1), np.zeros(found, np.int64)
    for k in range(places):
        of_place[k] = number[find_root(root, k)]
        if of_place[k] >= 0 and looped[k]:
            held[of_place[k]] += 1
    order, begins = _sorted(of_place, found, True)
    if looped.any():
        for k in range(found):
            part = order[begins[k] : begins[k + 1]].copy()
            a, b = begins[k], begins[k + 1] - held[k]
            for j in range(len(part)):
                if looped[part[j]]:
                    order[b] = part[j]
                    b += 1
                else:
                    order[a] = part[j]
                    a += 1
    return members, bounds, order, begins, held


@inner()
def _sorted(label, found, backwards):
    """Numbers by label (-1: none), in order or backwards, and where each label begins."""
    bounds = np.zeros(found + 1, np.int64)
    for k in range(len(label)):
        if label[k] >= 0:
            bounds[label[k] + 1] += 1
    for k in range(found):
        bounds[k + 1] += bounds[k]
    result, fill = np.zeros(bounds[found], np.int64), bounds.copy()
    for j in range(len(label)):
        k = len(label) - 1 - j if backwards else j
        if label[k] >= 0:
            result[fill[label[k]]] = k
            fill[label[k]] += 1
    return result, bounds


@inner()
def find_root(root, k):
    """The representative of a place in its island; ways to it are halved."""
    while root[k] != k:
        root[k] = root[root[k]]
        k = root[k]
    return k
