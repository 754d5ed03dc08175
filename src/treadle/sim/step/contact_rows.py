"""Rows of contact points: along the normal, across it for friction, against rolling and spinning."""

from __future__ import annotations

from math import inf, isnan

from treadle.contact.restitution import damping_of
from treadle.native.kernels import inner, part
from treadle.sim.step.conservative_advancement import through
from treadle.sim.step.convective_terms import convective_rates
from treadle.solvers.sequential.rows import PAIR, SECOND, SINGLE
from treadle.solvers.sequential.tree import half_solve, join_row

__all__ = ["PRESSED", "TOUCHING", "impact_rows", "joint_rows", "joint_work", "lasting_rows", "stay_idle"]

#: Distance (m) below which two surfaces touch.
TOUCHING = 1e-10

#: Depth (m) from which on a surface with stiffness is pressed, however it moves; a contact that has ended is
#: not as deep but for rounding.
PRESSED = 1e-13

#: Share of their thickness by which shapes would have come into each other that do not meet without impact.
_DEEP = 0.0125


@part()
def joint_rows(free, count, pattern, tree, rows, work, force, span, idle):
    """Rows of stops, friction and motors, the first of all, with the forces that they had before.

    With `idle`, those that had none, and whose velocity is what they want anyway, have no entries, and
    nothing acts on them.
    """
    first, place, way_first, way = pattern.first, pattern.place, pattern.way_first, pattern.way
    jacobian, velocity = free.jacobian, free.velocity
    for i in range(count):
        e, total = rows.first[i], _rate_of(pattern, jacobian, velocity, i)
        rows.velocity[i], rows.closes[i], rows.impulse[i] = total, 0, force[i] * span
        rows.kind[i], rows.normal[i] = SINGLE, -1
        rows.slowest[i], rows.fastest[i] = free.slowest[i], free.fastest[i]
        rows.low[i], rows.high[i], rows.softness[i] = free.low[i], free.high[i], free.softness[i]
        rows.loops[i] = rows.first[i + 1] = e
        if idle and force[i] == 0.0 and free.slowest[i] < total < free.fastest[i]:
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


@part()
def stay_idle(free, count, pattern, rows, velocity):
    """Whether the rows without entries still have a velocity that they want."""
    for i in range(count):
        if rows.first[i] == rows.first[i + 1]:
            rate = _rate_of(pattern, free.jacobian, velocity, i)
            if not free.slowest[i] <= rate <= free.fastest[i]:
                return False
    return True


@part()
def joint_work(jacobian, count, pattern, rows, before, after):
    """Work (J) of the rows of the joints while the velocity went from `before` to `after`."""
    total = 0.0
    for i in range(count):
        if rows.impulse[i] != 0.0:
            twice = _rate_of(pattern, jacobian, before, i) + _rate_of(pattern, jacobian, after, i)
            total += 0.5 * rows.impulse[i] * twice
    return total


@part()
def _rate_of(pattern, jacobian, velocity, i):
    total = 0.0
    for k in range(pattern.first[i], pattern.first[i + 1]):
        total += jacobian[k] * velocity[pattern.place[k]]
    return total


@part()
def lasting_rows(
    points, count, surfaces, detection, last, free, tree, rows, work, used, span, stopping, slowest, soft, apart
):  # fmt: skip
    """Rows of the points that touch, and of those that rigid bodies must not pass, after `used` others.

    Fills `soft`, the contacts with stiffness. Returns the number of rows and of soft contacts, and how well
    the goals of the rows are known (m/s); -1 where rigid bodies strike each other: an impact comes first,
    unless they are known to be `apart` at the start of the span.
    """
    springs, target_error = 0, 0.0
    for c in range(count):
        point = points[c]
        surface = surfaces[point.surface]
        if surface.stiffness == inf:
            meets = point.speed < -slowest
            if _strikes(point, surface, detection.thickness, meets, span, stopping, slowest):
                if meets and point.gap <= TOUCHING and not apart:
                    return -1, 0, 0.0
                point.pending = 1
                continue
        else:
            pressed = point.speed < 0.0 or (point.speed <= 1e-12 and point.free < 0.0)
            if not (point.gap < -PRESSED or (point.gap <= TOUCHING and pressed)):
                point.pending = 1
                continue
        first = used
        used = _rows_of(point, surface, last, free.axes, free.velocity, tree, rows, work, used)
        turn = convective_rates(detection, free.twist, free.turning, point, span)
        target_error = max(target_error, turn[6])
        _convective_targets(point, surface, turn, rows)
        if surface.stiffness == inf:
            # touching at the end, with d + h/2 J v' + h^2/8 du/dt, and not to be left there at once
            lift = turn[0] * point.nx + turn[1] * point.ny + turn[2] * point.nz
            point.bow = 0.25 * span * lift
            rows.slowest[first] = -lift - max(point.distance - point.bow, 0.0) * 2.0 / span
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
    return used, springs, target_error


@part()
def _strikes(point, surface, thickness, meets, span, stopping, slowest):
    """Whether rigid bodies that come together rebound, or would be deep in each other after `stopping` (s).

    Those that do not rebound, and are slow, are stopped by the span that they meet in, without an impact.
    """
    if surface.restitution > 0.0:
        return meets or _returns(point, span, slowest)
    return meets and -point.speed * stopping > _DEEP * through(thickness, point.a, point.b)


@part()
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
    """All rows of a point: its normal, two of friction, two of rolling, one of spinning."""
    first = used
    n = (point.nx, point.ny, point.nz)
    t = (point.tx, point.ty, point.tz)
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    rubs = max(surface.friction, surface.across) > 0.0
    _lay(point, n, t, s, 3 if rubs else 1, 1.0, last, axes, velocity, tree, rows, work, used)
    _open_row(rows, used, SINGLE, -1, 0.0, inf)
    rows.low[used] = 0.0
    if rubs:
        _open_row(rows, used + 1, PAIR, first, surface.friction, 0.0)
        _open_row(rows, used + 2, SECOND, first, surface.across, 0.0)
    used += 3 if rubs else 1
    if surface.rolling > 0.0:
        _lay(point, t, s, n, 2, 0.0, last, axes, velocity, tree, rows, work, used)
        _open_row(rows, used, SINGLE, first, surface.rolling, 0.0)
        _open_row(rows, used + 1, SINGLE, first, surface.rolling, 0.0)
        used += 2
    if surface.spinning > 0.0:
        _lay(point, n, t, s, 1, 0.0, last, axes, velocity, tree, rows, work, used)
        _open_row(rows, used, SINGLE, first, surface.spinning, 0.0)
        used += 1
    point.row, point.rows = first, used - first
    return used


@part()
def _convective_targets(point, surface, turn, rows):
    """Velocities that rows across the normal have to have in the middle of a span to be zero at its end."""
    n, t, i = (point.nx, point.ny, point.nz), (point.tx, point.ty, point.tz), point.row + 1
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    if max(surface.friction, surface.across) > 0.0:
        _want(rows, i, turn[0], turn[1], turn[2], t)
        _want(rows, i + 1, turn[0], turn[1], turn[2], s)
        i += 2
    if surface.rolling > 0.0:
        _want(rows, i, turn[3], turn[4], turn[5], t)
        _want(rows, i + 1, turn[3], turn[4], turn[5], s)
        i += 2
    if surface.spinning > 0.0:
        _want(rows, i, turn[3], turn[4], turn[5], n)


@part()
def _want(rows, i, x, y, z, d):
    rows.slowest[i] = rows.fastest[i] = -(x * d[0] + y * d[1] + z * d[2])


@part()
def _open_row(rows, i, kind, normal, share, fastest):
    rows.kind[i], rows.normal[i], rows.share[i] = kind, normal, share
    rows.slowest[i], rows.fastest[i], rows.low[i], rows.high[i] = 0.0, fastest, -inf, inf


@part()
def _lay(point, d0, d1, d2, many, sliding, last, axes, velocity, tree, rows, work, i):
    """Rows from i on: the velocity of B relative to A at the point (sliding 1) along the first directions, or
    about them (sliding 0).
    """
    if many == 1 or tree.size[1] == 0:
        _lay_together(point, d0, d1, d2, many, sliding, last, axes, velocity, tree, rows, i)
        if tree.size[1] > 0:
            join_row(tree, rows, i, work)
        return
    # with entries for held loops, rows differ in length
    for r in range(many):
        d = d0 if r == 0 else (d1 if r == 1 else d2)
        _lay_together(point, d, d, d, 1, sliding, last, axes, velocity, tree, rows, i + r)
        join_row(tree, rows, i + r, work)


@part()
def _lay_together(point, d0, d1, d2, many, sliding, last, axes, velocity, tree, rows, i):
    """Rows of one length from i on, one after the other.

    Their places are the freedoms that carry B alone, then those that carry A alone, then those of both, each
    from the last to the first, so that what stands before a freedom follows it there as it does in L.
    """
    x, y, z, turning = point.x, point.y, point.z, 1.0 - sliding
    parent, place, entries = tree.parent, rows.place, rows.y
    a, b, begin = last[point.body_a], last[point.body_b], rows.first[i]
    common, other, length = a, b, 0
    while common != other:
        length += 1
        if common > other:
            common = parent[common]
        else:
            other = parent[other]
    k = common
    while k >= 0:
        k, length = parent[k], length + 1
    one, two = (length if many > 1 else 0), (2 * length if many > 2 else 0)
    e, other = begin, begin
    total0, total1, total2 = 0.0, 0.0, 0.0
    for side in range(2):
        k, sign = (b, 1.0) if side == 0 else (a, -1.0)
        while k != common:
            w0, w1, w2 = axes[6 * k], axes[6 * k + 1], axes[6 * k + 2]
            v0, v1, v2 = axes[6 * k + 3], axes[6 * k + 4], axes[6 * k + 5]
            u0 = sign * (sliding * (v0 + w1 * z - w2 * y) + turning * w0)
            u1 = sign * (sliding * (v1 + w2 * x - w0 * z) + turning * w1)
            u2 = sign * (sliding * (v2 + w0 * y - w1 * x) + turning * w2)
            value0 = u0 * d0[0] + u1 * d0[1] + u2 * d0[2]
            value1 = u0 * d1[0] + u1 * d1[1] + u2 * d1[2]
            value2 = u0 * d2[0] + u1 * d2[1] + u2 * d2[2]
            # from the last to the first: what there are fewer of is written over
            place[e + two] = place[e + one] = place[e] = k
            entries[e + two] = value2
            entries[e + one] = value1
            entries[e] = value0
            speed = velocity[k]
            total0, total1, total2 = total0 + value0 * speed, total1 + value1 * speed, total2 + value2 * speed
            k, e = parent[k], e + 1
        other = e if side == 0 else other
    both = e
    while common >= 0:
        # what moves both moves neither relative to the other
        place[e + two] = place[e + one] = place[e] = common
        entries[e + two] = entries[e + one] = entries[e] = 0.0
        common, e = parent[common], e + 1
    for r in range(many):
        end = rows.first[i + r] + length
        rows.loops[i + r] = rows.first[i + r + 1] = end
        rows.velocity[i + r] = total0 if r == 0 else (total1 if r == 1 else total2)
        rows.impulse[i + r], rows.softness[i + r], rows.closes[i + r] = 0.0, 0.0, 0
    for r in range(many):
        ahead = r * length
        _half_solve(tree, place, entries, begin + ahead, other + ahead, both + ahead, e + ahead)


@part()
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


@part()
def _own(rows, i):
    """The response of a row to its own impulse."""
    first, loops, y, total = rows.first, rows.loops, rows.y, 0.0
    for e in range(first[i], loops[i]):
        total += y[e] * y[e]
    for e in range(loops[i], first[i + 1]):
        total -= y[e] * y[e]
    return total
