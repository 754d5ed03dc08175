"""A span of time in which no contact begins: its forces, and the motion to its end.

Everything is taken in the middle of the span (Moreau's rule): with q_M = q (+) h/2 v, forces and rows at q_M
give the velocity v' at the end, and q' = q_M (+) h/2 v'. Rigid contacts may not come closer than touching,

    d(q_M) + h/2 J v' >= 0;

contacts with a stiffness are solved in closed form over the whole span (`contact.linear_contact`), together,
and in turn with friction and rigid contacts until neither changes. Rows that hold their velocity, such as
friction that sticks, do so at every moment of the span: what springs do to each other is what these leave of
it, A - C^T B^-1 C, with the responses B of such rows and C between them and the springs.
"""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import inner, part
from treadle.sim.touching.points import rate
from treadle.solvers.sequential.entry import (
    answer,
    close_gaps,
    find_impulses,
    hold_rows,
    prepare_rows,
)
from treadle.solvers.sequential.tree import spread

__all__ = ["SAME_END", "displacement", "impulses"]

#: Share of a span by which a contact may end before it and yet end with it.
SAME_END = 1e-12

#: Rounds between contacts with stiffness and all others, and the share of the impulses that may still change.
_ROUNDS, _SAME = 60, 1e-11

#: Share of a penetration of rigid bodies at its start that a span takes back.
_SHARE = 0.5


@part()
def impulses(solver, rows, count, soft, springs, spring, z, span, limit, speed, blur):
    """Impulses of all rows over a span; the time until a contact ends, the sweeps it took, and the number of
    rows that hold their velocity.

    Sweeps end where no row's velocity changes by more than `speed` (m/s); goals are known to `blur` (m/s).
    """
    sweeps, held = 0, 0
    for i in range(springs):
        _fix(rows, soft.row[i], rows.impulse[soft.row[i]])
    prepare_rows(solver, count)
    for turn in range(_ROUNDS):
        if count > springs:
            sweeps += find_impulses(solver, count, limit, speed, blur)
        if springs == 0:
            return span, sweeps, held
        held = hold_rows(solver, count)
        others = _responses(solver, rows, soft, springs, held)
        jump = _accelerations(rows, soft, springs, z, span)
        if turn > 0 and not others and jump * span <= speed:
            # they would be what they are
            break
        change, largest = _springs(rows, soft, springs, spring, span)
        prepare_rows(solver, count)
        if soft.span[1] < span * (1.0 - SAME_END) or change <= _SAME * largest or count == springs:
            break
    return soft.span[1], sweeps, held


@part()
def displacement(
    solver, points, found, rows, count, held, soft, springs, tree, v, twist_end, room, span
):  # fmt: skip
    """Displacement over the span: of all forces as if constant, what others make of it, out of rigid bodies.

    `room.end` is the velocity at the end, `twist_end` those of the bodies. The result is in `room.shift`.
    """
    z, shift, end, nv = room.z, room.shift, room.end, tree.size[0]
    for k in range(nv):
        shift[k] = 0.5 * span * (v[k] + end[k])
    if springs > 0:
        # a contact with stiffness moves the machine by Q, where a constant force would by span P / 2
        z_kept = rows.z_kept
        _clear(rows, z_kept)
        for i in range(springs):
            r = soft.row[i]
            _push(rows, r, soft.Q[i] - 0.5 * span * rows.impulse[r], z_kept)
        if held > 0:
            answer(solver, held)
        spread(tree, z_kept, room.work, shift)
    deepest, spring = 0.0, 0
    for c in range(found):
        i = points[c].row
        if i < 0:
            continue
        gap = points[c].distance + 0.5 * span * rate(twist_end, points[c]) + points[c].bow
        if spring < springs and soft.row[spring] == i:
            gap = -soft.delta[spring]
            spring += 1
        else:
            # all that came in this span, and a share of what was there
            rest = (1.0 - _SHARE) * min(max(gap, points[c].gap), 0.0)
            rows.closes[i], rows.closing[i] = 1, rest - gap
            deepest = max(deepest, -gap)
        points[c].end = gap
    if deepest > 1e-12:
        close_gaps(solver, count, 30, 1e-14)
        for c in range(found):
            i = points[c].row
            if i >= 0 and rows.closes[i] == 1:
                points[c].end += _rate(rows, i, z)
        spread(tree, z, room.work, shift)


@inner()
def _responses(solver, rows, soft, springs, held):
    """What the contacts with stiffness do to each other beside the rows that hold their velocity.

    Whether it is not what it was.
    """
    z, A = rows.z_kept, soft.A
    soft.size[0], others = springs, False
    for j in range(springs):
        _clear(rows, z)
        _push(rows, soft.row[j], 1.0, z)
        if held > 0:
            answer(solver, held)
        for i in range(j + 1):
            total = _rate(rows, soft.row[i], z)
            others |= A[springs * i + j] != total
            A[springs * i + j] = A[springs * j + i] = total
    return others


@part()
def _fix(rows, i, impulse):
    """Let a row have an impulse, whatever the others do."""
    rows.impulse[i] = rows.low[i] = rows.high[i] = impulse


@part()
def _clear(rows, z):
    for k in range(rows.places[0]):
        z[k] = 0.0


@part()
def _rate(rows, i, z):
    """Velocity of a row in z."""
    first, place, y, total = rows.first, rows.place, rows.y, 0.0
    for e in range(first[i], first[i + 1]):
        total += y[e] * z[place[e]]
    return total


@part()
def _push(rows, i, impulse, z):
    """Add what an impulse of a row does to z."""
    first, loops, place, y = rows.first, rows.loops, rows.place, rows.y
    for e in range(first[i], loops[i]):
        z[place[e]] += y[e] * impulse
    for e in range(loops[i], first[i + 1]):
        z[place[e]] -= y[e] * impulse


@inner()
def _accelerations(rows, soft, springs, z, span):
    """How all others accelerate the contacts with stiffness; the largest change (m/s2) of that."""
    A, change = soft.A, 0.0
    for i in range(springs):
        r = soft.row[i]
        total = _rate(rows, r, z)
        for j in range(springs):
            total -= A[springs * i + j] * rows.impulse[soft.row[j]]
        b = -(rows.velocity[r] + total + soft.rate_start[i]) / span
        change = max(change, abs(b - soft.b[i]))
        soft.b[i] = b
    return change


@inner()
def _springs(rows, soft, springs, spring, span):
    """Impulses of the contacts with stiffness beside all others; the largest change, and the largest."""
    soft.span[0] = span
    call(spring.entry, spring.frame)
    change, largest = 0.0, 0.0
    for i in range(springs):
        r, p = soft.row[i], soft.P[i]
        change, largest = max(change, abs(p - rows.impulse[r])), max(largest, abs(p))
        _fix(rows, r, p)
    return change, largest
