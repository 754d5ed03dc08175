"""A span of time in which no contact begins: its forces, and the motion to its end.

Everything is taken in the middle of the span (Moreau's rule): with q_M = q (+) h/2 v, forces and rows at q_M
give the velocity v' at the end, and q' = q_M (+) h/2 v'. Rigid contacts may not come closer than touching,

    d(q_M) + h/2 J v' >= 0;

contacts with a stiffness are solved in closed form over the whole span (`contact.coupled`), together, and in
turn with friction and rigid contacts until neither changes.
"""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import inner
from treadle.sim.touching.points import rate
from treadle.solvers.sequential.rows import TOGETHER
from treadle.solvers.sequential.sweep import correct, prepare, solve
from treadle.solvers.sequential.tree import spread

__all__ = ["displacement", "impulses"]

#: Rounds between contacts with stiffness and all others, and the share of the impulses that may still change.
_ROUNDS, _SAME = 60, 1e-11

#: Share of a penetration of rigid bodies that a span takes back.
_SHARE = 0.5


@inner()
def impulses(rows, count, soft, springs, entry, frame, z, span, limit, speed):
    """Impulses of all rows over a span; the time until a contact ends, and the sweeps it took.

    Sweeps end where no row's velocity changes by more than `speed` (m/s).
    """
    if springs > 0:
        _responses(rows, soft, springs, z)
    sweeps = 0
    prepare(rows, count, z)
    for _ in range(_ROUNDS):
        if count > springs:
            taken, _ = solve(rows, count, z, limit, 0.0, speed, TOGETHER)
            sweeps += taken
        if springs == 0:
            return span, sweeps
        change, largest = _springs(rows, soft, springs, entry, frame, z, span)
        prepare(rows, count, z)
        if soft.span[1] < span or change <= _SAME * largest or count == springs:
            break
    return soft.span[1], sweeps


@inner()
def displacement(
    points, found, rows, count, soft, springs, tree, v, velocity, end, twist_end, z, work, span, shift
):
    """Displacement over the span: of free motion, of constant and varying forces, and out of rigid bodies.

    `end` are the velocities at the end, `twist_end` those of the bodies.
    """
    first, loops, place, y, impulse, pseudo = (
        rows.first,
        rows.loops,
        rows.place,
        rows.y,
        rows.impulse,
        rows.pseudo,
    )
    for i in range(count):
        pseudo[i] = 0.5 * span * impulse[i]
    for i in range(springs):
        pseudo[soft.row[i]] = soft.Q[i]
    z[:] = 0.0
    for i in range(count):
        if pseudo[i] != 0.0:
            for e in range(first[i], loops[i]):
                z[place[e]] += y[e] * pseudo[i]
            for e in range(loops[i], first[i + 1]):
                z[place[e]] -= y[e] * pseudo[i]
    for k in range(len(v)):
        shift[k] = 0.5 * span * (v[k] + velocity[k])
    spread(tree, z, work, shift)
    deepest, spring = 0.0, 0
    for c in range(found):
        i = points[c].row
        if i < 0:
            continue
        gap = points[c].distance + 0.5 * span * rate(twist_end, points[c])
        if spring < springs and soft.row[spring] == i:
            gap = -soft.delta[spring]
            spring += 1
        else:
            rows.closes[i], rows.closing[i] = True, -gap * (_SHARE if gap < 0.0 else 1.0)
            deepest = max(deepest, -gap)
        points[c].end = gap
    if deepest > 1e-12:
        correct(rows, count, z, 30, 0.0, 1e-14, TOGETHER)
        spread(tree, z, work, shift)


@inner()
def _responses(rows, soft, springs, z):
    """What the contacts with stiffness do to each other."""
    first, loops, place, y, A = rows.first, rows.loops, rows.place, rows.y, soft.A
    soft.size[0] = springs
    z[:] = 0.0
    for j in range(springs):
        r = soft.row[j]
        for e in range(first[r], loops[r]):
            z[place[e]] += y[e]
        for e in range(loops[r], first[r + 1]):
            z[place[e]] -= y[e]
        for i in range(springs):
            s, total = soft.row[i], 0.0
            for e in range(first[s], first[s + 1]):
                total += y[e] * z[place[e]]
            A[springs * i + j] = total
        for e in range(first[r], first[r + 1]):
            z[place[e]] = 0.0


@inner()
def _springs(rows, soft, springs, entry, frame, z, span):
    """Impulses of the contacts with stiffness beside all others; the largest change, and the largest."""
    first, place, y, impulse, A = rows.first, rows.place, rows.y, rows.impulse, soft.A
    for i in range(springs):
        r, total = soft.row[i], 0.0
        for e in range(first[r], first[r + 1]):
            total += y[e] * z[place[e]]
        for j in range(springs):
            total -= A[springs * i + j] * impulse[soft.row[j]]
        soft.b[i] = -(rows.velocity[r] + total + soft.rate_start[i]) / span
    soft.span[0] = span
    call(entry, frame)
    change, largest = 0.0, 0.0
    for i in range(springs):
        r, p = soft.row[i], soft.P[i]
        change, largest = max(change, abs(p - impulse[r])), max(largest, abs(p))
        # it is what it is while all others are solved
        impulse[r] = rows.low[r] = rows.high[r] = p
    return change, largest
