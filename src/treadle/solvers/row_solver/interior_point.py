"""An interior-point method for bounded rows and Coulomb cones: the active sets where they are not known.

Impulses x and slacks y of velocities stay inside their cones while their products go to zero (Mehrotra's
predictor and corrector, Nesterov and Todd's scaling). Coulomb's law is x in K and u + s in K* with De
Saxce's shift s = mu |u_t| along the normal; its derivative is part of a step as long as it does not block it.
All steps solve S + Y^T G Y over the places of an island, with G = (softness + T^-1 W^-2)^-1 of each block.
Acary, Armand, Nguyen and Shpakovych (2024), "Second-order cone programming for frictional contact mechanics
using interior point algorithm".
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.row_solver.island import (
    BOUNDED,
    FIRST,
    NORMAL,
    OTHER,
    assemble,
    evaluate,
    impulse_effect,
    project,
    rates,
    solve_places,
)
from treadle.solvers.row_solver.newton import newton

__all__ = ["interior_point"]

#: Regularization of a step relative to the inverse effective mass.
_PROXIMAL = 1e-9

#: Share of the largest inverse effective mass that rows have at least for their first impulses.
_LEAST_OWN = 1e-2

#: Share of the way to the boundary of a cone that a step takes.
_NEAR = 0.99

#: Centring of a step at most for slacks that do not belong to their velocities.
_CENTRED = 0.8

#: Length of a step from which on the derivative of the shift is used.
_BLOCKED = 0.4

#: Newton steps that are tried from inside, and the share of the residual that has to go in between.
_STEPS, _FURTHER = 5, 0.03

#: Rounds without progress until it ends.
_PATIENCE = 12


class Iterate(NamedTuple):
    """Impulses and slacks of all rows, or a step of them."""

    x: np.ndarray  # impulses
    low: np.ndarray  # slacks of lower bounds, of cones along the axis
    high: np.ndarray  # slacks of upper bounds
    side: np.ndarray  # slacks of cones across the axis


@inner()
def interior_point(island, limit, tolerance):
    """At most `limit` rounds from the middle of the cones; the rounds taken, and the residual left (m/s).

    The island keeps the best impulses, its own included.
    """
    n, count = island.sizes[0], island.sizes[2]
    many = np.zeros((16, count))
    x, u, rd, low, high, side = many[0], many[1], many[2], many[3], many[4], many[5]
    dx, dlow, dhigh, dside = many[6], many[7], many[8], many[9]
    g, rate, trial, r, c0, c1 = many[10], many[11], many[12], many[13], many[14], many[15]
    z = np.zeros(n)
    at, step, work = Iterate(x, low, high, side), Iterate(dx, dlow, dhigh, dside), (g, rate, z)
    cones, speed = _start(island, x, low, high, side)
    best, last, taken, idle = inf, 1e-3 * speed, 0, 0
    cones, slope = max(cones, 1.0), True
    while taken < limit:
        trial[:] = x
        project(island, trial)
        worst, _ = evaluate(island, trial, z, u, r)
        idle += 1
        if worst < 0.7 * best:
            idle = 0
        if worst < best:
            best = worst
            island.p[:] = trial
        if best <= tolerance or idle > _PATIENCE:
            break
        if best <= last:
            last = _FURTHER * best
            steps, best = newton(island, min(_STEPS, limit - taken), tolerance)
            taken += steps
            if best <= tolerance or taken >= limit:
                break
        evaluate(island, x, z, u, r)
        product = _products(island, x, low, high, side) / cones
        symmetric = _scalings(island, x, u, low, high, side, product, slope, rd)
        assemble(island, symmetric)
        taken += 1
        # predictor
        c0[:], c1[:] = 0.0, 0.0
        _direction(island, at, rd, c0, c1, 0.0 * product, work, step)
        length = min(_longest(island, at, step), 1.0)
        after = _products_after(island, at, step, length) / cones
        centre = min(max(after / product, 0.0), 1.0) ** 3
        # impulses and slacks must not come close to their cones before they belong together
        gap = _mismatch(island, u, low, high, side) / cones
        centre = max(centre, min(_CENTRED, gap / product))
        # corrector
        _second_order(island, at, step, c0, c1)
        _direction(island, at, rd, c0, c1, centre * product, work, step)
        length = min(_NEAR * _longest(island, at, step), 1.0)
        if not length > 1e-3:
            c0[:], c1[:] = 0.0, 0.0
            _direction(island, at, rd, c0, c1, 0.9 * product, work, step)
            length = min(0.9 * _longest(island, at, step), 1.0)
        if not length > 1e-8:
            break
        # where its linearization blocks the steps, the shift follows them
        slope = slope and length > _BLOCKED
        for k in range(count):
            x[k] += length * dx[k]
            low[k] += length * dlow[k]
            high[k] += length * dhigh[k]
            side[k] += length * dside[k]
    if best > tolerance and taken < limit:
        steps, best = newton(island, min(2 * _STEPS, limit - taken), tolerance)
        taken += steps
    return taken, best


@inner()
def _start(island, x, low, high, side):
    """Impulses and slacks in the middle; the number of cones and the largest velocity missed."""
    role, own = island.role, island.own
    speed, cones = 1e-12, 0.0
    for r in range(island.sizes[2]):
        missed = island.target[r] - island.velocity[r]
        speed = max(speed, missed if island.low[r] == 0.0 else abs(missed))
    normal, least_own = 0, 0.0
    for r in range(island.sizes[2]):
        least_own = max(least_own, _LEAST_OWN * max(own[r], island.scale[r]))
    for r in range(island.sizes[2]):
        low[r] = high[r] = side[r] = 0.0
        least, most = island.low[r], island.high[r]
        # far from its target a row has little to do
        apart = max(speed, island.velocity[r] - island.target[r]) if least == 0.0 else speed
        reach = speed * speed / (apart * max(own[r], island.scale[r], least_own))
        if role[r] == BOUNDED:
            x[r] = 0.0
            if least > -inf and most < inf:
                x[r] = least + min(reach, 0.5 * (most - least))
            elif least > -inf:
                x[r] = least + reach
            elif most < inf:
                x[r] = most - reach
            if least > -inf:
                low[r] = apart
                cones += 1.0
            if most < inf:
                high[r] = speed
                cones += 1.0
        elif role[r] == NORMAL:
            normal = r
            x[r] = least if least == most else reach
        else:
            x[r] = 0.0
            if role[r] != OTHER:
                low[r] = speed
                if island.low[normal] < island.high[normal]:
                    low[r] = max(speed, island.velocity[normal] - island.target[normal])
                cones += 1.0
    return cones, speed


@inner()
def _products(island, x, low, high, side):
    """Sum of the products of impulses and slacks."""
    total, normal, role = 0.0, 0.0, island.role
    for r in range(island.sizes[2]):
        if role[r] == BOUNDED:
            if island.low[r] > -inf:
                total += low[r] * (x[r] - island.low[r])
            if island.high[r] < inf:
                total += high[r] * (island.high[r] - x[r])
        elif role[r] == NORMAL:
            normal = x[r]
        else:
            total += x[r] * side[r]
            if role[r] != OTHER:
                total += normal * low[r]
    return total


@inner()
def _products_after(island, at, step, length):
    """The same after a step of some length."""
    (x, low, high, side), (dx, dlow, dhigh, dside) = at, step
    total, normal, role = 0.0, 0.0, island.role
    for r in range(island.sizes[2]):
        now = x[r] + length * dx[r]
        if role[r] == BOUNDED:
            if island.low[r] > -inf:
                total += (low[r] + length * dlow[r]) * (now - island.low[r])
            if island.high[r] < inf:
                total += (high[r] + length * dhigh[r]) * (island.high[r] - now)
        elif role[r] == NORMAL:
            normal = now
        else:
            total += now * (side[r] + length * dside[r])
            if role[r] != OTHER:
                total += normal * (low[r] + length * dlow[r])
    return total


@inner()
def _mismatch(island, u, low, high, side):
    """Sum of the squares of what slacks differ from velocities, in the units of the products."""
    role, target, scale, total = island.role, island.target, island.scale, 0.0
    for b in range(island.sizes[1]):
        begin, end = island.rows[b], island.rows[b + 1]
        gap = u[begin] - target[begin]
        if role[begin] == BOUNDED:
            gap += high[begin] - low[begin]
        for r in range(begin + 1, end):
            slip = u[r] - target[r]
            total += (slip - side[r]) ** 2 / scale[r]
            if role[r] != OTHER:
                other = u[r + 1] - target[r + 1] if role[r] == FIRST else 0.0
                gap += sqrt(slip * slip + other * other) - low[r]
        if island.low[begin] < island.high[begin]:
            total += gap * gap / scale[begin]
    return total


@inner()
def _scaling(x0, x1, x2, y0, y1, y2):
    """Nesterov and Todd's scaling of a cone: theta^2 and the unit vector w with W^2 y = x."""
    det_x, det_y = max(x0 * x0 - x1 * x1 - x2 * x2, 1e-300), max(y0 * y0 - y1 * y1 - y2 * y2, 1e-300)
    root_x, root_y = sqrt(det_x), sqrt(det_y)
    x0, x1, x2, y0, y1, y2 = x0 / root_x, x1 / root_x, x2 / root_x, y0 / root_y, y1 / root_y, y2 / root_y
    twice = sqrt(2.0 * (1.0 + x0 * y0 + x1 * y1 + x2 * y2))
    return root_x / root_y, (x0 + y0) / twice, (x1 - y1) / twice, (x2 - y2) / twice


@inner()
def _scalings(island, x, u, low, high, side, product, slope, rd):
    """G of all blocks, and what the velocities miss (u - target, with the shift); whether G is symmetric.

    The shift's derivative T = I + e t^T (t the direction of the slip) makes G unsymmetric.
    """
    role, G, target = island.role, island.G, island.target
    symmetric = True
    work = np.zeros((6, 6))
    hat = np.zeros(6)
    for b in range(island.sizes[1]):
        begin, end, g0 = island.rows[b], island.rows[b + 1], island.square[b]
        m = end - begin
        rd[begin] = u[begin] - target[begin]
        if role[begin] == BOUNDED:
            total = island.softness[begin] + _PROXIMAL * island.own[begin]
            if island.low[begin] > -inf:
                total += low[begin] / (x[begin] - island.low[begin])
            if island.high[begin] < inf:
                total += high[begin] / (island.high[begin] - x[begin])
            G[g0] = 1.0 / total
            continue
        for s in range(m):
            hat[s] = 0.0
            for t in range(m):
                work[s, t] = 0.0
        for r in range(begin + 1, end):
            rd[r] = u[r] - target[r]
        for r in range(begin + 1, end):
            if role[r] == OTHER:
                continue
            a, pair = r - begin, role[r] == FIRST
            x2, y2, v2 = (x[r + 1], side[r + 1], rd[r + 1]) if pair else (0.0, 0.0, 0.0)
            slip = sqrt(rd[r] * rd[r] + v2 * v2)
            rd[begin] += slip
            smooth = sqrt(slip * slip + product * island.own[r])
            if smooth > 0.0 and slope:
                hat[a] = rd[r] / smooth
                if pair:
                    hat[a + 1] = v2 / smooth
            theta, w0, w1, w2 = _scaling(x[begin], x[r], x2, low[r], side[r], y2)
            # W^-2 = (2 Jw Jw^T - J) / theta^2
            work[0, 0] += (2.0 * w0 * w0 - 1.0) / theta
            work[0, a] = work[a, 0] = -2.0 * w0 * w1 / theta
            work[a, a] = (2.0 * w1 * w1 + 1.0) / theta
            if pair:
                work[0, a + 1] = work[a + 1, 0] = -2.0 * w0 * w2 / theta
                work[a, a + 1] = work[a + 1, a] = 2.0 * w1 * w2 / theta
                work[a + 1, a + 1] = (2.0 * w2 * w2 + 1.0) / theta
        fixed = island.low[begin] == island.high[begin]
        if fixed:
            for s in range(m):
                hat[s] = work[0, s] = work[s, 0] = 0.0
            work[0, 0] = 1.0
        for s in range(1, m):
            if hat[s] != 0.0:
                symmetric = False
                for t in range(m):
                    work[0, t] -= hat[s] * work[s, t]
                rd[begin] -= hat[s] * rd[begin + s]
        for s in range(m):
            work[s, s] += island.softness[begin + s] + _PROXIMAL * island.own[begin + s]
        _invert(work, m, G, g0)
        if fixed:
            for s in range(m):
                G[g0 + s] = G[g0 + m * s] = 0.0
        for s in range(1, m):
            # the directions are needed once more, where there is no slack of an upper bound
            high[begin + s] = hat[s]
    return symmetric


@inner()
def _invert(work, m, G, g0):
    """Inverse of an m x m matrix by elimination without pivoting (it is dominated by its symmetric part)."""
    for s in range(m):
        for t in range(m):
            G[g0 + m * s + t] = 1.0 if s == t else 0.0
    for k in range(m):
        inverse = 1.0 / work[k, k]
        for t in range(m):
            work[k, t] *= inverse
            G[g0 + m * k + t] *= inverse
        for s in range(m):
            if s != k and work[s, k] != 0.0:
                f = work[s, k]
                for t in range(m):
                    work[s, t] -= f * work[k, t]
                    G[g0 + m * s + t] -= f * G[g0 + m * k + t]


@inner()
def _direction(island, at, rd, c0, c1, aim, work, step):
    """Steps of impulses and slacks towards products of `aim`.

    `c0` and `c1` are the second-order terms of the cones: along the axis (of the lower bound), and across (of
    the upper bound).
    """
    role, (x, low, high, side), (dx, dlow, dhigh, dside), (g, rate, z) = island.role, at, step, work
    for b in range(island.sizes[1]):
        begin, end = island.rows[b], island.rows[b + 1]
        g[begin] = -rd[begin]
        if role[begin] == BOUNDED:
            if island.low[begin] > -inf:
                g[begin] += aim / (x[begin] - island.low[begin]) - c0[begin]
            if island.high[begin] < inf:
                g[begin] -= aim / (island.high[begin] - x[begin]) - c1[begin]
            continue
        for r in range(begin + 1, end):
            if role[r] == OTHER:
                continue
            pair = role[r] == FIRST
            x2 = x[r + 1] if pair else 0.0
            part = aim / max(x[begin] * x[begin] - x[r] * x[r] - x2 * x2, 1e-300)
            g[begin] += part * x[begin] - c0[r]
            g[r] = -rd[r] - part * x[r] - c1[r]
            g[begin] -= high[r] * (g[r] + rd[r])
            if pair:
                g[r + 1] = -rd[r + 1] - part * x2 - c1[r + 1]
                g[begin] -= high[r + 1] * (g[r + 1] + rd[r + 1])
    # dz from Y^T G g, then dx = G (g - Y dz)
    _times(island, g, dx)
    impulse_effect(island, dx, z, False)
    solve_places(island, z)
    rates(island, z, rate)
    for k in range(island.sizes[2]):
        rate[k] = g[k] - rate[k]
    _times(island, rate, dx)
    for b in range(island.sizes[1]):
        begin, end = island.rows[b], island.rows[b + 1]
        if role[begin] == BOUNDED:
            if island.low[begin] > -inf:
                slack = x[begin] - island.low[begin]
                dlow[begin] = (aim - low[begin] * dx[begin]) / slack - low[begin] - c0[begin]
            if island.high[begin] < inf:
                slack = island.high[begin] - x[begin]
                dhigh[begin] = (aim + high[begin] * dx[begin]) / slack - high[begin] - c1[begin]
            continue
        for r in range(begin + 1, end):
            if role[r] == OTHER:
                continue
            pair = role[r] == FIRST
            x2, y2, d2 = (x[r + 1], side[r + 1], dx[r + 1]) if pair else (0.0, 0.0, 0.0)
            part = aim / max(x[begin] * x[begin] - x[r] * x[r] - x2 * x2, 1e-300)
            theta, w0, w1, w2 = _scaling(x[begin], x[r], x2, low[r], side[r], y2)
            d0, d1 = dx[begin], dx[r]
            inside = 2.0 * (w0 * d0 - w1 * d1 - w2 * d2)
            dlow[r] = part * x[begin] - low[r] - c0[r] - (w0 * inside - d0) / theta
            dside[r] = -part * x[r] - side[r] - c1[r] - (d1 - w1 * inside) / theta
            if pair:
                dside[r + 1] = -part * x2 - y2 - c1[r + 1] - (d2 - w2 * inside) / theta


@inner()
def _times(island, a, out):
    """G a."""
    for b in range(island.sizes[1]):
        begin, g0 = island.rows[b], island.square[b]
        m = island.rows[b + 1] - begin
        for s in range(m):
            total = 0.0
            for t in range(m):
                total += island.G[g0 + m * s + t] * a[begin + t]
            out[begin + s] = total


@inner()
def _second_order(island, at, step, c0, c1):
    """The products of the predictor's steps, in the units of the slacks: W^-1 (l \\ (W^-1 dx o W dy))."""
    (x, low, _, side), (dx, dlow, dhigh, dside) = at, step
    role, begin = island.role, 0
    for r in range(island.sizes[2]):
        if role[r] == BOUNDED:
            if island.low[r] > -inf:
                c0[r] = dx[r] * dlow[r] / (x[r] - island.low[r])
            if island.high[r] < inf:
                c1[r] = -dx[r] * dhigh[r] / (island.high[r] - x[r])
            continue
        if role[r] == NORMAL:
            begin = r
        if role[r] == NORMAL or role[r] == OTHER:
            continue
        pair = role[r] == FIRST
        x2, y2, d2, e2 = (x[r + 1], side[r + 1], dx[r + 1], dside[r + 1]) if pair else (0.0, 0.0, 0.0, 0.0)
        theta2, w0, w1, w2 = _scaling(x[begin], x[r], x2, low[r], side[r], y2)
        theta = sqrt(theta2)
        a0, a1, a2 = _unscale(w0, w1, w2, theta, dx[begin], dx[r], d2)
        b0, b1, b2 = _scale(w0, w1, w2, theta, dlow[r], dside[r], e2)
        l0, l1, l2 = _scale(w0, w1, w2, theta, low[r], side[r], y2)
        p0, p1, p2 = a0 * b0 + a1 * b1 + a2 * b2, a0 * b1 + b0 * a1, a0 * b2 + b0 * a2
        q0 = (l0 * p0 - l1 * p1 - l2 * p2) / max(l0 * l0 - l1 * l1 - l2 * l2, 1e-300)
        q1, q2 = (p1 - l1 * q0) / l0, (p2 - l2 * q0) / l0
        q0, q1, q2 = _unscale(w0, w1, w2, theta, q0, q1, q2)
        c0[r], c1[r] = q0, q1
        if pair:
            c1[r + 1] = q2


@inner()
def _scale(w0, w1, w2, theta, v0, v1, v2):
    """W v."""
    inside = w1 * v1 + w2 * v2
    more = v0 + inside / (1.0 + w0)
    return theta * (w0 * v0 + inside), theta * (v1 + w1 * more), theta * (v2 + w2 * more)


@inner()
def _unscale(w0, w1, w2, theta, v0, v1, v2):
    """W^-1 v."""
    inside = w1 * v1 + w2 * v2
    more = inside / (1.0 + w0) - v0
    return (w0 * v0 - inside) / theta, (v1 + w1 * more) / theta, (v2 + w2 * more) / theta


@inner()
def _longest(island, at, step):
    """The longest step, at most infinite, that leaves no cone."""
    (x, low, high, side), (dx, dlow, dhigh, dside) = at, step
    role, begin, length = island.role, 0, inf
    for r in range(island.sizes[2]):
        if role[r] == BOUNDED:
            if island.low[r] > -inf:
                length = _until(length, x[r] - island.low[r], dx[r])
                length = _until(length, low[r], dlow[r])
            if island.high[r] < inf:
                length = _until(length, island.high[r] - x[r], -dx[r])
                length = _until(length, high[r], dhigh[r])
        elif role[r] == NORMAL:
            begin = r
        elif role[r] != OTHER:
            pair = role[r] == FIRST
            x2, y2, d2, e2 = (
                (x[r + 1], side[r + 1], dx[r + 1], dside[r + 1]) if pair else (0.0, 0.0, 0.0, 0.0)
            )
            length = min(length, _leaves(x[begin], x[r], x2, dx[begin], dx[r], d2))
            length = min(length, _leaves(low[r], side[r], y2, dlow[r], dside[r], e2))
    return length


@inner()
def _until(length, value, change):
    return min(length, -value / change) if change < 0.0 else length


@inner()
def _leaves(x0, x1, x2, d0, d1, d2):
    """Where x + t d leaves the second-order cone."""
    a = d0 * d0 - d1 * d1 - d2 * d2
    b = x0 * d0 - x1 * d1 - x2 * d2
    c = max(x0 * x0 - x1 * x1 - x2 * x2, 0.0)
    root = b * b - a * c
    if a < 0.0:
        return (-b - sqrt(max(root, 0.0))) / a
    if b < 0.0 and root >= 0.0:
        return c / (sqrt(root) - b)
    return inf
