"""The proximal point method with Newton steps: islands of many contacts, from their warm start.

A round solves a softer problem, in which rows yield to what their impulses change, with the Coulomb cones as
they are: with yields D, a small share of the inverse effective mass,

    p = P(p_0 + (t - u) / D),

where P is the natural map's projection, z = S Y^T p and u = v + Y z. Newton steps in z find it, for p is a
smooth function of u but for kinks. Then p_0 follows. Impulses that redundant rows share stay where they are,
as far as targets let them, and rows whose targets contradict each other by little drift: these yield less and
less, so that they arrive. Rockafellar (1976), "Monotone operators and the proximal point algorithm".
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.row_solver.island import (
    BOUNDED,
    FIRST,
    OTHER,
    assemble,
    evaluate,
    impulse_effect,
    project,
    rates,
    solve_places,
)

__all__ = ["proximal", "solve_round"]

#: Yields relative to the inverse effective mass, at most and at least, and how rows that drift change them.
_YIELD, _LEAST, _LESS, _MORE = 1e-2, 1e-7, 0.5, 3.0

#: Newton steps of a round, and the share of the imbalance that they have to leave at most.
_STEPS, _SOLVED = 6, 0.1

#: Shorter trial steps, and the share of the imbalance that one of full length has to take away.
_TRIALS, _ENOUGH = 8, 0.1

#: Share of its residual of the round before above which a row drifts, and share of the residual that the
#: imbalance may be for rows to yield less.
_DRIFTS, _BALANCED = 0.3, 1e-1

#: Shares of the residual before between which impulses drift, how much farther each round goes then, and how
#: far at most.
_SLOWER, _STEADY, _FASTER, _FARTHEST = 0.6, 1.2, 2.0, 30.0

#: Share of z below which a step is rounding.
_ROUNDING = 1e-14

#: Rounds before rows yield less, and at most.
_FIRST_ROUNDS, _MOST_ROUNDS = 2, 400


@inner()
def proximal(island, limit, tolerance):
    """At most `limit` steps from the impulses of the island; the steps taken, and the residual left (m/s).

    The island keeps the best impulses.
    """
    n, blocks, count = island.sizes[0], island.sizes[1], island.sizes[2]
    many = np.zeros((6, count))
    p0, p, u, du, r, trial = many[0], many[1], many[2], many[3], many[4], many[5]
    z, dz, pull = np.zeros(n), np.zeros(n), np.zeros(n)
    give, before = np.full(blocks, _YIELD), np.full(blocks, inf)
    p0[:] = island.p
    project(island, p0)
    impulse_effect(island, p0, z, True)
    best, last, ahead, taken, turn = inf, inf, 1.0, 0, 0
    while taken < limit and turn < _MOST_ROUNDS:
        most = min(_STEPS, limit - taken)
        steps, left = solve_round(island, give, p0, z, u, p, dz, du, pull, trial, most, _SOLVED)
        taken += steps
        for k in range(count):
            trial[k], p0[k] = p[k] - p0[k], p[k]
        worst, _ = evaluate(island, p, pull, du, r)
        if worst < best:
            best = worst
            island.p[:] = p
        if best <= tolerance:
            break
        # what redundant rows share drifts evenly until one of them arrives: go farther
        even = worst < _STEADY * last and left <= _BALANCED * worst
        ahead = min(ahead * (_FASTER if worst > _SLOWER * last else 1.0), _FARTHEST) if even else 1.0
        last = worst
        if ahead > 1.0:
            for k in range(count):
                p0[k] += (ahead - 1.0) * trial[k]
            project(island, p0)
        if turn >= _FIRST_ROUNDS:
            _change_yields(island, give, r, before, tolerance, left <= _BALANCED * worst)
        turn += 1
    return taken, best


@inner()
def solve_round(island, give, p0, z, u, p, dz, du, pull, trial, limit, solved):
    """Newton steps in z on S z - Y^T p = 0, until this share of it is left; how many, and the imbalance left.

    Blocks yield by the shares `give` of their inverse effective masses to what p changes of p0.
    """
    n, count, sign = island.sizes[0], island.sizes[2], island.sign
    first, left, steps = -1.0, inf, 0
    while True:
        _velocities(island, z, u)
        symmetric = _impulses(island, give, p0, u, p, True)
        left = _imbalance(island, p, z, pull)
        if first < 0.0:
            first = left
        if steps >= limit or left <= 1e-13 or (steps > 0 and left <= solved * first):
            return steps, left
        for a in range(n):
            dz[a] = pull[a] - sign[a] * z[a]
        assemble(island, symmetric)
        solve_places(island, dz)
        steps += 1
        rates(island, dz, du)
        share, found, least = 1.0, 1.0, inf
        for _ in range(_TRIALS):
            for k in range(count):
                trial[k] = u[k] + share * du[k]
            _impulses(island, give, p0, trial, p, False)
            impulse_effect(island, p, pull, False)
            total = 0.0
            for a in range(n):
                total += (pull[a] - sign[a] * (z[a] + share * dz[a])) ** 2
            total = sqrt(total)
            if total < least:
                least, found = total, share
            if total < (1.0 - _ENOUGH * share) * left:
                break
            share *= 0.5
        far, size = 0.0, 0.0
        for a in range(n):
            z[a] += found * dz[a]
            far, size = max(far, abs(dz[a])), max(size, abs(z[a]))
        if far <= _ROUNDING * size:
            # what is left is rounding, the more of it the less rows yield
            limit = steps


@inner()
def _velocities(island, z, u):
    """Velocities of the rows without their softness."""
    rates(island, z, u)
    for k in range(island.sizes[2]):
        u[k] += island.velocity[k]


@inner()
def _imbalance(island, p, z, pull):
    """Length of S z - Y^T p; `pull` is Y^T p."""
    impulse_effect(island, p, pull, False)
    total = 0.0
    for a in range(island.sizes[0]):
        total += (pull[a] - island.sign[a] * z[a]) ** 2
    return sqrt(total)


@inner()
def _impulses(island, give, p0, u, p, derive):
    """Impulses p(u), with G = -dp/du if asked for; whether all G are symmetric."""
    role, target, low, high, G, soft = (
        island.role, island.target, island.low, island.high, island.G, island.softness
    )  # fmt: skip
    symmetric = True
    if derive:
        G[:] = 0.0
    for b in range(island.sizes[1]):
        begin, end, g0 = island.rows[b], island.rows[b + 1], island.square[b]
        m = end - begin
        # u + softness p + yield (p - p0) = target
        d = give[b] * (island.scale[begin] - soft[begin])
        whole = d + soft[begin]
        wish = (d * p0[begin] + target[begin] - u[begin]) / whole
        p[begin] = min(max(wish, low[begin]), high[begin])
        if derive and low[begin] < wish < high[begin]:
            G[g0] = 1.0 / whole
        if role[begin] == BOUNDED:
            continue
        radius = p[begin]
        for r in range(begin + 1, end):
            if role[r] == OTHER:
                continue
            a, pair = r - begin, role[r] == FIRST
            # both rows of a cone yield as much in all, so that it stays round
            softest = max(soft[r], soft[r + 1]) if pair else soft[r]
            whole = give[b] * (island.scale[r] - softest) + softest
            t0, t1 = ((whole - soft[r]) * p0[r] + target[r] - u[r]) / whole, 0.0
            if pair:
                t1 = ((whole - soft[r + 1]) * p0[r + 1] + target[r + 1] - u[r + 1]) / whole
            length = sqrt(t0 * t0 + t1 * t1)
            slides = length > radius
            part = radius / length if slides else 1.0
            p[r] = part * t0
            if pair:
                p[r + 1] = part * t1
            if not derive:
                continue
            if not slides:
                G[g0 + (m + 1) * a] = 1.0 / whole
                if pair:
                    G[g0 + (m + 1) * (a + 1)] = 1.0 / whole
            elif radius > 0.0:
                symmetric = False
                t0, t1 = t0 / length, t1 / length
                G[g0 + m * a] = t0 * G[g0]
                if pair:
                    gain = part / whole
                    G[g0 + m * (a + 1)] = t1 * G[g0]
                    G[g0 + (m + 1) * a] = gain * t1 * t1
                    G[g0 + (m + 1) * a + 1] = G[g0 + (m + 1) * (a + 1) - 1] = -gain * t0 * t1
                    G[g0 + (m + 1) * (a + 1)] = gain * t0 * t0
    return symmetric


@inner()
def _change_yields(island, give, r, before, tolerance, balanced):
    """Let blocks that drift yield less where the last round was solved, else all of them more."""
    for b in range(island.sizes[1]):
        worst = 0.0
        for k in range(island.rows[b], island.rows[b + 1]):
            worst = max(worst, abs(r[k]))
        if not balanced:
            give[b] = min(_MORE * give[b], _YIELD)
        elif worst > tolerance and worst > _DRIFTS * before[b]:
            give[b] = max(_LESS * give[b], _LEAST)
        before[b] = worst
