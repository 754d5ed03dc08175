"""Rows of contact points: along the normal, across it for friction, against rolling and spinning."""

from __future__ import annotations

from math import inf, isnan

from treadle.contact.restitution import damping_of
from treadle.native.kernels import inner
from treadle.sim.touching.passing import crossing
from treadle.solvers.sequential.rows import PAIR, SECOND, SINGLE
from treadle.solvers.sequential.tree import half_solve, join_row

__all__ = ["TOUCHING", "impact_rows", "joint_rows", "lasting_rows", "stay_idle"]

#: Distance (m) below which two surfaces touch.
TOUCHING = 1e-10

#: Share of what shapes may come into each other beyond which those that meet stop before they move on.
_DEEP = 0.05


@inner()
def joint_rows(free, count, pattern, tree, rows, work, idle):
    """Rows of stops, friction and motors, the first of all, without impulses.

    With `idle`, those whose velocity is what they want anyway have no entries, and nothing acts on them.
    """
    first, place, way_first, way = pattern.first, pattern.place, pattern.way_first, pattern.way
    jacobian, velocity = free.jacobian, free.velocity
    for i in range(count):
        e, total = rows.first[i], _rate_of(pattern, jacobian, velocity, i)
        rows.velocity[i], rows.closes[i], rows.impulse[i] = total, 0, 0.0
        rows.kind[i], rows.normal[i] = SINGLE, -1
        rows.slowest[i], rows.fastest[i] = free.slowest[i], free.fastest[i]
        rows.low[i], rows.high[i], rows.softness[i] = free.low[i], free.high[i], free.softness[i]
        rows.loops[i] = rows.first[i + 1] = e
        if idle and free.slowest[i] < total < free.fastest[i]:
            continue
        for k in range(way_first[i], way_first[i + 1]):
            rows.place[e] = way[k]
            e += 1
        rows.loops[i] = rows.first[i + 1] = e
        begin, k = rows.first[i], first[i]
        if first[i + 1] == k + 1 and place[k] == rows.place[begin] and tree.size[1] == 0:
            # of one freedom alone, as most are
            rows.y[begin] = jacobian[k]
            for m in range(begin + 1, e):
                rows.y[m] = 0.0
            _half_solve(tree, rows.place, rows.y, begin, e, e, e)
            continue
        for m in range(k, first[i + 1]):
            work[place[m]] = jacobian[m]
        half_solve(tree, rows, i, work)


@inner()
def stay_idle(free, count, pattern, rows, velocity):
    """Whether the rows without entries still have a velocity that they want."""
    for i in range(count):
        if rows.first[i] == rows.first[i + 1]:
            rate = _rate_of(pattern, free.jacobian, velocity, i)
            if not free.slowest[i] <= rate <= free.fastest[i]:
                return False
    return True


@inner()
def _rate_of(pattern, jacobian, velocity, i):
    total = 0.0
    for k in range(pattern.first[i], pattern.first[i + 1]):
        total += jacobian[k] * velocity[pattern.place[k]]
    return total


@inner()
def lasting_rows(
    points, count, surfaces, thickness, last, axes, velocity, tree, rows, work, used, span, slowest, soft,
    apart,
):  # fmt: skip
    """Rows of the points that touch, and of those that rigid bodies must not pass, after `used` others.

    Fills `soft`, the contacts with stiffness. Returns the number of rows and of soft contacts; -1 where rigid
    bodies that rebound, or would come deep into each other, meet faster than `slowest` (m/s): an impact comes
    first, unless they are known to be `apart` at the start of the span.
    """
    springs = 0
    for c in range(count):
        point = points[c]
        surface = surfaces[point.surface]
        if surface.stiffness == inf:
            meets = point.speed < -slowest
            if meets or (surface.restitution > 0.0 and _returns(point, span, slowest)):
                deep = -point.speed * span > _DEEP * crossing(thickness, point.a, point.b)
                if meets and point.gap <= TOUCHING and (deep or surface.restitution > 0.0) and not apart:
                    return -1, 0
                if surface.restitution > 0.0:
                    point.awaited = 1
                    continue
        else:
            pressed = point.speed < 0.0 or (point.speed <= 1e-12 and point.free < 0.0)
            if not (point.gap < -TOUCHING or (point.gap <= TOUCHING and pressed)):
                point.awaited = 1
                continue
        first = used
        used = _rows_of(point, surface, last, axes, velocity, tree, rows, work, used)
        if surface.stiffness == inf:
            rows.slowest[first] = -max(point.distance, 0.0) * 2.0 / span
        else:
            mass = 1.0 / _own(rows, first)
            K, D = surface.stiffness, surface.damping
            if surface.per_mass == 1:
                K, D = K * mass, D * mass
            if isnan(D):
                D = damping_of(surface.restitution, K, mass)
            soft.row[springs], soft.law[springs] = first, surface.law
            soft.K[springs], soft.D[springs] = K, D
            soft.delta_start[springs], soft.rate_start[springs] = max(-point.gap, 0.0), -point.speed
            e = 4 * springs
            soft.settings[e], soft.settings[e + 1] = surface.exponent, surface.restitution
            soft.settings[e + 2], soft.settings[e + 3] = -point.speed, mass
            point.spring = springs
            springs += 1
    return used, springs


@inner()
def _returns(point, span, slowest):
    """Whether bodies that do not approach each other now meet faster than `slowest` (m/s) within the span."""
    fall = 2.0 * max(point.gap, 0.0) * (point.speed - point.free) / span
    return point.free < -slowest and point.speed * point.speed + fall > slowest * slowest


@inner()
def impact_rows(points, count, surfaces, last, axes, velocity, tree, rows, work, used, slowest):
    """Rows of an impact: rigid bodies that meet faster than `slowest` part with e times their speed.

    Returns how many there are, and how many points meet as fast.
    """
    met = 0
    for c in range(count):
        point = points[c]
        surface = surfaces[point.surface]
        if point.distance <= TOUCHING and surface.stiffness == inf:
            first = used
            used = _rows_of(point, surface, last, axes, velocity, tree, rows, work, used)
            speed = rows.velocity[first]
            rows.slowest[first] = -surface.restitution * speed if speed < -slowest else 0.0
            if speed < -slowest:
                met += 1
    return used, met


@inner()
def _rows_of(point, surface, last, axes, velocity, tree, rows, work, used):
    """All rows of a point, the normal's first."""
    first = used
    n = (point.nx, point.ny, point.nz)
    t = (point.tx, point.ty, point.tz)
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    for k in range(6):
        # normal, two of friction, two of rolling, one of spinning
        share = surface.rolling if k < 5 else surface.spinning
        if k < 3:
            share = surface.friction if k < 2 else surface.across
            if k > 0 and max(surface.friction, surface.across) <= 0.0:
                continue
        elif share <= 0.0:
            continue
        d = n if k in {0, 5} else (t if k in {1, 3} else s)
        _row(point, d, 1.0 if k < 3 else 0.0, last, axes, velocity, tree, rows, work, used)
        rows.kind[used] = PAIR if k == 1 else (SECOND if k == 2 else SINGLE)
        rows.normal[used], rows.share[used] = (-1, 0.0) if k == 0 else (first, share)
        rows.slowest[used], rows.fastest[used] = 0.0, inf if k == 0 else 0.0
        rows.low[used], rows.high[used] = (0.0 if k == 0 else -inf), inf
        used += 1
    point.row, point.rows = first, used - first
    return used


@inner()
def _row(point, d, sliding, last, axes, velocity, tree, rows, work, i):
    """Row i: the velocity of B relative to A along d at the point (sliding 1), or about d (sliding 0).

    Its places are the freedoms that carry B alone, then those that carry A alone, then those of both, each
    from the last to the first, so that what stands before a freedom follows it there as it does in L.
    """
    x, y, z = point.x * sliding, point.y * sliding, point.z * sliding
    turning = 1.0 - sliding
    # moment of the direction about the world's origin, or the direction itself
    wrench = (
        d[2] * y - d[1] * z + turning * d[0], d[0] * z - d[2] * x + turning * d[1],
        d[1] * x - d[0] * y + turning * d[2], sliding * d[0], sliding * d[1], sliding * d[2],
    )  # fmt: skip
    parent, place, entries = tree.parent, rows.place, rows.y
    a, b, begin = last[point.body_a], last[point.body_b], rows.first[i]
    common, other = a, b
    while common != other:
        if common > other:
            common = parent[common]
        else:
            other = parent[other]
    e, total, other = begin, 0.0, begin
    for side in range(2):
        k, sign = (b, 1.0) if side == 0 else (a, -1.0)
        while k != common:
            value = sign * _along(axes, 6 * k, wrench)
            place[e], entries[e] = k, value
            total += value * velocity[k]
            k, e = parent[k], e + 1
        other = e if side == 0 else other
    both = e
    while common >= 0:
        # what moves both moves neither relative to the other
        place[e], entries[e] = common, 0.0
        common, e = parent[common], e + 1
    _half_solve(tree, place, entries, begin, other, both, e)
    rows.loops[i] = rows.first[i + 1] = e
    rows.velocity[i], rows.impulse[i], rows.softness[i], rows.closes[i] = total, 0.0, 0.0, 0
    if tree.size[1] > 0:
        join_row(tree, rows, i, work)


@inner()
def _along(axes, e, wrench):
    return (
        axes[e] * wrench[0] + axes[e + 1] * wrench[1] + axes[e + 2] * wrench[2]
        + axes[e + 3] * wrench[3] + axes[e + 4] * wrench[4] + axes[e + 5] * wrench[5]
    )  # fmt: skip


@inner()
def _half_solve(tree, place, y, begin, other, both, end):
    """Jacobian to entries where they stand, see `half_solve`.

    The freedoms of one body end at `other`, those of the other one at `both`, what carries both at `end`.
    """
    start, L, root = tree.start, tree.L, tree.root
    for e in range(begin, end):
        k, x = place[e], y[e]
        y[e] = root[k] * x
        if x == 0.0:
            continue
        entry = start[k]
        limit = other if e < other else (both if e < both else end)
        for m in range(e + 1, limit):
            y[m] -= L[entry + m - e - 1] * x
        if limit < end:
            entry += limit - e - 1
            for m in range(both, end):
                y[m] -= L[entry + m - both] * x


@inner()
def _own(rows, i):
    """The response of a row to its own impulse."""
    first, loops, y, total = rows.first, rows.loops, rows.y, 0.0
    for e in range(first[i], loops[i]):
        total += y[e] * y[e]
    for e in range(loops[i], first[i + 1]):
        total -= y[e] * y[e]
    return total
