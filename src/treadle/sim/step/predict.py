"""Predict: the motion without contact, and what contact has to know of it, in the middle of a substep.

    q_M = q (+) h/2 v,    (M + h D + h^2 K / 4) (v' - v) = h (tau - D v - K q_M - C(q_M, v_M))

with dampers (and servos, at the end of the substep) in D and joint springs, at the mean of both ends, in K.
v_M, the velocity in the middle, is that of the last substep's acceleration; where the result differs from it,
`corrects` has the substep predicted once more. Wheels are in balance with the impulses of all rows.
"""

from __future__ import annotations

from math import inf

from treadle.native.calling import call
from treadle.native.kernels import part
from treadle.sim.step.points import twists
from treadle.sim.step.row_algebra import row_velocity
from treadle.sim.step.sleep import hold_asleep
from treadle.sim.step.warm_start import alike_lengths, copy
from treadle.solvers.agreement import agreed, largest
from treadle.solvers.sequential.tree import spread

__all__ = [
    "ALL_AGAIN", "NOTHING_AGAIN", "SHORTER", "VELOCITY_AGAIN", "aim", "correct_velocity", "corrects",
    "free_velocity", "guess_middle", "predict", "starts_airborne",
]  # fmt: skip

#: What a substep is to do again: nothing, all from the prediction on, the free velocity and the solve, or all
#: of it with half its length.
NOTHING_AGAIN, ALL_AGAIN, VELOCITY_AGAIN, SHORTER = 0, 1, 2, 3

#: Rounds at most in which the velocity in the middle, and the forces of wheels, are predicted again.
_ROUNDS, _WHEEL_ROUNDS = 2, 20

#: Share of the speed, and acceleration (m/s2), by which the velocity in the middle may be off.
_SHARE, _ACCELERATION = 1e-6, 1e-4

#: Velocity (rad/s) by which it may be off at most where Coriolis forces alone depend on it, and nothing
#: rolls, and the velocity that they may make of that in the substep: they are products of two velocities.
_CORIOLIS, _UNNOTICED = 1e-3, 1e-9

#: Share of the speed by which the velocity in the middle may be off without getting nearer, and how much
#: nearer a round has to bring it.
_FAR, _NEARER = 0.02, 0.5

#: Share of the last mismatch that a round may leave for no more solves of rows: another would change the
#: velocity by the square of this share, of the first mismatch, and the truncation error of the rule is about
#: a sixth of this share of it.
_CONVERGED = 0.02

#: Angle (rad) in a substep from which on the velocity in the middle of free motion is found by rounds, how
#: many, and the share of the speed by which it may be off.
_FAST_TURN, _TURN_ROUNDS, _TURN_SHARE = 0.2, 12, 1e-4

#: Angle (rad) by which the middle of a substep may be off for a damper that stops a joint within it, and what
#: is left at most of the speed of one that is stopped: the rule takes the mean of both ends for the middle.
_OVERSHOOT, _STOPPED = 0.1, 0.5

#: Lengths of the last substep over which its acceleration lasts.
_GROWTH = 4.0

#: Change of velocity (m/s) below which wheels are in balance with the rows.
_BALANCED = 1e-10


@part()
def guess_middle(context):
    """The velocity in the middle of the substep, if the acceleration changes as it did; no impulses.

    That it changes is trusted where it did so twice in the same direction, by the smaller of both changes;
    and that these change in turn, where they did so twice.
    """
    now, free, rate, v = context.now[0], context.free, context.scratch.rate, context.v
    # of a much shorter substep, an acceleration tells little; that of one without cuts has impacts in it
    lasts = now.uncut == 0 or now.stepping == 1
    ahead = 0.5 * min(now.h, _GROWTH * context.scratch.last_h[0]) if lasts else 0.0
    trend = now.uncut == 0 and alike_lengths(context)
    for k in range(context.nv):
        a = rate[0, k]
        if trend and abs(a) > _ACCELERATION:
            a += _trend(a - rate[1, k], rate[1, k] - rate[2, k], rate[2, k] - rate[3, k])
        free.v_mid[k] = v[k] + ahead * a
    for k in range(free.wheels * context.nv):
        free.impulse[k] = 0.0
    now.rounds, now.mismatch = 0, inf


@part()
def _trend(change, before, first):
    """The next of a row of changes, the last one first."""
    bend = _smaller(change - before, before - first)
    return change + bend if bend != 0.0 else _smaller(change, before)


@part()
def _smaller(a, b):
    """The smaller of two numbers in size, zero where their signs differ."""
    return 0.0 if a * b <= 0.0 else (a if abs(a) < abs(b) else b)


@part()
def predict(context):
    """Go to the middle of the substep; the free velocity, factors, joint rows, poses and twists there.

    Returns False where bodies turn too fast for its length.
    """
    now, free = context.now[0], context.free
    if now.predicted == 0:
        _go_to_middle(context)
        call(free.entry, free.frame)
    now.predicted = 0
    hold_asleep(context)
    return now.uncut == 0 or not _turns_fast(context) or _turn(context)


@part()
def aim(context, dt, time):
    """Give the prediction of the first substep of a step what it reads, if there will be one.

    Who has it run sets `now.predicted`. Whether there will be one is returned.
    """
    now = context.now[0]
    now.h, now.dt, now.time, now.uncut = dt, dt, time, now.stepping
    if starts_airborne(context):
        return False
    guess_middle(context)
    _go_to_middle(context)
    return True


@part()
def starts_airborne(context):
    """Whether nothing touched in the substep before, so that the integrator alone predicts."""
    return context.flow.entry != 0 and context.scratch.known[0] == 0


@part()
def _go_to_middle(context):
    """The position in the middle of the substep, and what else the prediction reads."""
    now, move, free, v = context.now[0], context.move, context.free, context.v
    copy(context.q, move.q, context.nq)
    for k in range(context.nv):
        move.step[k] = 0.5 * now.h * v[k]
    call(move.entry, move.frame)
    copy(move.position, free.position, context.nq)
    free.h[0], free.dt[0], free.time[0] = now.h, now.dt, now.time


@part()
def _turn(context):
    """Find the velocity in the middle of free motion by rounds; whether that worked.

    No solve corrects it in a substep without cuts, and inertial forces of a velocity that lags add energy.
    """
    free, v, missed, speed = context.free, context.v, inf, 0.0
    for _ in range(_TURN_ROUNDS):
        change, speed = 0.0, 0.0
        for k in range(context.nv):
            middle = 0.5 * (v[k] + free.velocity[k])
            change, speed = max(change, abs(middle - free.v_mid[k])), max(speed, abs(middle))
            free.v_mid[k] = middle
        if change <= _TURN_SHARE * speed:
            return True
        if not change < missed:
            return False
        missed = change
        call(free.entry, free.frame)
        hold_asleep(context)
    return missed <= _FAR * speed


@part()
def _turns_fast(context):
    """Whether a body turns by much in the substep."""
    twist, h = context.free.twist, context.now[0].h
    for i in range(1, len(twist)):
        x, y, z = twist[i, 0], twist[i, 1], twist[i, 2]
        if (x * x + y * y + z * z) * h * h > _FAST_TURN * _FAST_TURN:
            return True
    return False


@part()
def corrects(context):
    """Whether to predict again with what the solve gave, and what."""
    now, free, end, v = context.now[0], context.free, context.scratch.end, context.v
    if free.wheels == 1 and _rebalance(context):
        now.rounds += 1
        return ALL_AGAIN
    if now.uncut == 1:
        return NOTHING_AGAIN
    worst, fastest, first = 0.0, 0.0, context.body_tree.first
    for i in range(1, len(context.agreement.counted)):
        if context.agreement.counted[i] == 0:
            continue
        for k in range(first[i], first[i + 1]):
            middle = 0.5 * (v[k] + end[k])
            worst, fastest = max(worst, abs(middle - free.v_mid[k])), max(fastest, abs(middle))
    worst, fastest = largest(context, worst), largest(context, fastest)
    rows = largest(context, float(now.rows))
    left = _CONVERGED * now.mismatch if now.rounds > 0 and rows > 0.0 else 0.0
    if worst <= max(_SHARE * fastest + _ACCELERATION * now.h, left):
        return NOTHING_AGAIN
    if now.rounds == 0 and not agreed(context, not _overshoots(context)):
        return SHORTER
    unnoticed = free.laws == 0 and worst <= min(_CORIOLIS, _UNNOTICED / (now.h * max(fastest, _UNNOTICED)))
    if unnoticed and agreed(context, not _rolls(context)):
        return NOTHING_AGAIN
    if free.wheels == 0 and worst > max(_NEARER * now.mismatch, _FAR * fastest):
        return SHORTER
    if now.rounds >= _ROUNDS:
        return NOTHING_AGAIN
    now.mismatch = worst
    for k in range(context.nv):
        free.v_mid[k] = 0.5 * (v[k] + end[k])
    now.rounds += 1
    return ALL_AGAIN if free.wheels == 1 or context.tree.size[1] > 0 else VELOCITY_AGAIN


@part()
def _overshoots(context):
    """Whether a damper stops a fast joint so soon that the middle of the substep is far from its place."""
    free, v, h = context.free, context.v, context.now[0].h
    for k in range(context.nv):
        if 0.5 * h * abs(v[k]) <= _OVERSHOOT or abs(free.velocity[k]) >= _STOPPED * abs(v[k]):
            continue
        x, y, z = free.axes[6 * k], free.axes[6 * k + 1], free.axes[6 * k + 2]
        change = 0.5 * h * (free.velocity[k] - v[k])
        if (x * x + y * y + z * z) * change * change > _OVERSHOOT * _OVERSHOOT:
            return True
    return False


@part()
def _rolls(context):
    """Whether rigid surfaces roll on each other at a point."""
    for c in range(context.now[0].found):
        point = context.scratch.points[c]
        if point.row >= 0 and point.asleep == 0 and point.rolls == 1:
            return True
    return False


@part()
def correct_velocity(context):
    """The free velocity for the velocity in the middle, and what of it the rows have; its largest change.

    Rows, factors and points stay: they belong to the position in the middle. The velocity J v of a row is
    y . z of the z that leads to v, D^1/2 L v (see `solvers.sequential.tree`).
    """
    free, rows, tree, change, z = (
        context.free, context.rows, context.tree, context.scratch.extra, context.rows.z_kept
    )  # fmt: skip
    copy(free.velocity, change, context.nv)
    call(free.entry, free.frame)
    hold_asleep(context)
    largest = 0.0
    for k in range(context.nv):
        change[k] = free.velocity[k] - change[k]
        largest = max(largest, abs(change[k]))
    if largest == 0.0:
        return largest
    for k in range(context.nv):
        total, above, entry = change[k], tree.parent[k], tree.start[k]
        while above >= 0:
            total += tree.L[entry] * change[above]
            above, entry = tree.parent[above], entry + 1
        z[k] = total / tree.root[k] if tree.root[k] > 0.0 else 0.0
    for i in range(context.now[0].rows):
        rows.velocity[i] += row_velocity(rows, i, z)
    return largest


@part()
def free_velocity(context):
    """Take the impulses that wheels were in balance with out of the velocity: rows are to find them."""
    free = context.free
    if free.wheels == 0:
        return
    scratch, tree = context.scratch, context.tree
    for k in range(context.nv):
        scratch.extra[k] = -free.impulse[k]
    _solve_mass(tree, scratch.extra)
    for k in range(context.nv):
        free.velocity[k] += scratch.extra[k]
    twists(context.body_tree, free.axes, free.velocity, free.twist_free)


@part()
def _rebalance(context):
    """Give wheels the impulses of all rows; whether these changed."""
    now, free, scratch, tree = context.now[0], context.free, context.scratch, context.tree
    for k in range(context.nv):
        scratch.extra[k] = 0.0
    spread(tree, scratch.z, scratch.work, scratch.extra)
    momentum(tree, scratch.extra, scratch.work)
    for k in range(context.nv):
        scratch.extra[k] -= free.impulse[k]
        scratch.shift[k] = scratch.extra[k]
    _solve_mass(tree, scratch.extra)
    worst = 0.0
    for k in range(context.nv):
        worst = max(worst, abs(scratch.extra[k]))
    if not worst > _BALANCED or now.rounds >= _WHEEL_ROUNDS:
        return False
    # wheels that begin or end to slide would go back and forth
    now.relaxation = 1.0 if now.rounds == 0 else now.relaxation
    if now.rounds > 0 and worst > 0.5 * now.unbalanced:
        now.relaxation = max(0.5 * now.relaxation, 0.05)
    now.unbalanced = worst
    for k in range(context.nv):
        free.impulse[k] += now.relaxation * scratch.shift[k]
    return True


@part()
def momentum(tree, x, work):
    """M x in place of x."""
    parent, start, L, root, nv = tree.parent, tree.start, tree.L, tree.root, tree.size[0]
    for k in range(nv):
        total, above, entry = x[k], parent[k], start[k]
        while above >= 0:
            total += L[entry] * x[above]
            above, entry = parent[above], entry + 1
        work[k] = total / (root[k] * root[k])
    for k in range(nv):
        x[k] = 0.0
    for k in range(nv):
        x[k] += work[k]
        above, entry = parent[k], start[k]
        while above >= 0:
            x[above] += L[entry] * work[k]
            above, entry = parent[above], entry + 1
        work[k] = 0.0


@part()
def _solve_mass(tree, x):
    """M^-1 x in place of x, without loops."""
    parent, start, L, root, nv = tree.parent, tree.start, tree.L, tree.root, tree.size[0]
    for k in range(nv - 1, -1, -1):
        above, entry = parent[k], start[k]
        while above >= 0:
            x[above] -= L[entry] * x[k]
            above, entry = parent[above], entry + 1
    for k in range(nv):
        total, above, entry = root[k] * root[k] * x[k], parent[k], start[k]
        while above >= 0:
            total -= L[entry] * x[above]
            above, entry = parent[above], entry + 1
        x[k] = total
