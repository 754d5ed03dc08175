"""Semi-smooth Newton steps on the natural map of bounds and Coulomb cones: the active sets that are known.

Rows that are inside their bounds have to meet their targets, contacts that slide have friction of mu times
their normal impulse against their slip, the others stay where they are. Steps are regularized in the impulses
(proximal point), so that redundant rows share what they change. Alart and Curnier (1991), "A mixed
formulation for frictional contact problems prone to Newton like solution methods".
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.row_solver.island import (
    FIRST,
    OTHER,
    assemble,
    evaluate,
    impulse_effect,
    project,
    rates,
    solve_places,
)

__all__ = ["newton"]

#: Regularization of a step relative to the inverse effective mass, and the least part of a slip.
_PROXIMAL, _LEAST = 1e-7, 1e-12

#: Share of the largest velocity missed within which a row without a warm start is closed.
_CLOSED = 1e-6

#: Shorter trial steps, and how much of the largest of the last residuals has to go.
_TRIALS, _SHORTER, _ENOUGH = 4, 0.4, 0.9


@inner()
def newton(island, limit, tolerance):
    """At most `limit` steps from the impulses of the island; the steps taken, and the residual left (m/s).

    The island keeps the best impulses.
    """
    n, count = island.sizes[0], island.sizes[2]
    vectors = np.zeros((7, count))
    p, u, c, step, trial, r, rate = (
        vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5], vectors[6]
    )  # fmt: skip
    z = np.zeros(n)
    p[:] = island.p
    project(island, p)
    worst, total = evaluate(island, p, z, u, r)
    island.p[:] = p
    best, taken = worst, 0
    last = np.full(3, total)
    # without a warm start, rows at their targets count as closed: what rests on what moves will press
    near = _CLOSED * worst if np.all(p == 0.0) else 0.0
    while taken < limit and worst > tolerance:
        symmetric = _linearize(island, p, u, c, near)
        near = 0.0
        assemble(island, symmetric)
        impulse_effect(island, c, z, False)
        solve_places(island, z)
        rates(island, z, rate)
        _impulse_steps(island, c, rate, step)
        taken += 1
        share, kept, found = 1.0, np.inf, 0.0
        for _ in range(_TRIALS):
            for k in range(count):
                trial[k] = p[k] + share * step[k]
            project(island, trial)
            _, total = evaluate(island, trial, z, u, r)
            if total < kept:
                kept, found = total, share
            if total < _ENOUGH * max(last[0], last[1], last[2]):
                break
            share *= _SHORTER
        if kept == np.inf:
            break
        for k in range(count):
            p[k] += found * step[k]
        project(island, p)
        worst, total = evaluate(island, p, z, u, r)
        if worst < best:
            best = worst
            island.p[:] = p
        elif taken >= 4 and worst > 100.0 * best:
            break
        last[taken % 3] = total
    return taken, best


@inner()
def _linearize(island, p, u, c, near):
    """Impulse steps c - G (Y dz) on the active sets; whether all G are symmetric.

    Rows that miss their targets by less than `near` (m/s) count as pressed.
    """
    role, target, scale, low, high, G = (
        island.role, island.target, island.scale, island.low, island.high, island.G
    )  # fmt: skip
    symmetric = True
    G[:] = 0.0
    for b in range(island.sizes[1]):
        begin, end, g0 = island.rows[b], island.rows[b + 1], island.square[b]
        m = end - begin
        w = p[begin] + (target[begin] - u[begin] + near) / scale[begin]
        if low[begin] == high[begin]:
            c[begin] = 0.0
        elif w <= low[begin]:
            c[begin] = low[begin] - p[begin]
        elif w >= high[begin]:
            c[begin] = high[begin] - p[begin]
        else:
            give = _PROXIMAL * island.own[begin] + island.softness[begin]
            c[begin], G[g0] = (target[begin] - u[begin]) / give, 1.0 / give
        radius = p[begin]
        for r in range(begin + 1, end):
            if role[r] == OTHER:
                continue
            a, many = r - begin, 2 if role[r] == FIRST else 1
            if w <= 0.0 and low[begin] < high[begin]:
                for s in range(r, r + many):
                    c[s] = -p[s]
                continue
            t0, t1 = p[r] + (target[r] - u[r]) / scale[r], 0.0
            if many == 2:
                t1 = p[r + 1] + (target[r + 1] - u[r + 1]) / scale[r]
            length = sqrt(t0 * t0 + t1 * t1)
            if length <= max(radius, w):
                for s in range(r, r + many):
                    give = _PROXIMAL * island.own[s] + island.softness[s]
                    c[s], G[g0 + (m + 1) * (s - begin)] = (target[s] - u[s]) / give, 1.0 / give
                continue
            symmetric = False
            t0, t1 = t0 / length, t1 / length
            # across the slip: q + dq = radius t + radius / length (dq - du / scale)
            part = radius / length
            slip = max(1.0 - part, _LEAST)
            q1 = p[r + 1] if many == 2 else 0.0
            along = t0 * p[r] + t1 * q1
            side0, side1 = (along * t0 - p[r]) / slip, (along * t1 - q1) / slip
            gain = min(part / slip, 1.0 / _PROXIMAL) / scale[r]
            push = radius - along + c[begin]
            c[r] = t0 * push + side0
            G[g0 + m * a] = t0 * G[g0]
            if many == 2:
                c[r + 1] = t1 * push + side1
                G[g0 + m * (a + 1)] = t1 * G[g0]
                G[g0 + (m + 1) * a] = gain * t1 * t1
                G[g0 + (m + 1) * a + 1] = G[g0 + (m + 1) * (a + 1) - 1] = -gain * t0 * t1
                G[g0 + (m + 1) * (a + 1)] = gain * t0 * t0
    return symmetric


@inner()
def _impulse_steps(island, c, rate, step):
    """c - G rate."""
    for b in range(island.sizes[1]):
        begin, g0 = island.rows[b], island.square[b]
        m = island.rows[b + 1] - begin
        for s in range(m):
            total = c[begin + s]
            for t in range(m):
                total -= island.G[g0 + m * s + t] * rate[begin + t]
            step[begin + s] = total
