"""Rows of joints in the row table: limits, dry friction, motors, prescribed motions, ropes, loop springs."""

from __future__ import annotations

from math import inf

from treadle.constraints.bounded import ANY
from treadle.native.kernels import part
from treadle.sim.step.row_algebra import LEFT_OUT, inverse_mass, joint_impulse
from treadle.sim.step.warm_start import lasting_time
from treadle.solvers.sequential.rows import SINGLE
from treadle.solvers.sequential.tree import half_solve, half_solve_chain

__all__ = ["held_rows", "held_work", "joint_rows", "joint_work", "stays_idle"]

#: Speed (rad/s, m/s) from which on a joint is brought back from beyond its limit by a row that yields, and
#: how much, as a share of its inverse effective mass.
_RECOVERS, _YIELDING = 0.01, 0.1


@part()
def joint_rows(context):
    """Lay the rows of the joints, the first of all, with the forces that they had before.

    While the substep is `idle`, those that had none, and whose velocity is within their target, are left out.
    """
    now, free, pattern, rows = context.now[0], context.free, context.pattern, context.rows
    force, row, lasting = context.scratch.joint_force, context.scratch.joint_row, lasting_time(context)
    now.rows = 0
    for i in range(context.joint_rows):
        total, r, row[i] = _velocity(pattern, free.jacobian, free.velocity, i), now.rows, LEFT_OUT
        if now.idle == 1 and force[i] == 0.0 and free.slowest[i] < total < free.fastest[i]:
            continue
        row[i], now.rows = r, r + 1
        rows.velocity[r], rows.closes[r], rows.impulse[r] = total, 0, force[i] * lasting
        rows.kind[r], rows.normal[r] = SINGLE, -1
        rows.slowest[r], rows.fastest[r] = free.slowest[i], free.fastest[i]
        rows.low[r], rows.high[r], rows.softness[r] = free.low[i], free.high[i], free.softness[i]
        _lay(context, i, r)
        if free.slowest[i] < free.fastest[i] and max(free.slowest[i], -free.fastest[i]) > _RECOVERS:
            # contact may hold a joint beyond its limit: it is brought back with a force that has a bound
            rows.softness[r] += _YIELDING * inverse_mass(rows, r)


@part()
def held_rows(context):
    """Lay rows of what holds joints by any force, at the velocity that they have: no blow changes that."""
    now, rows = context.now[0], context.rows
    now.rows = 0
    for i in range(context.joint_rows):
        if _holds(context.free, i):
            r = now.rows
            rows.velocity[r] = _velocity(context.pattern, context.free.jacobian, context.v, i)
            rows.slowest[r] = rows.fastest[r] = rows.velocity[r]
            rows.low[r], rows.high[r], rows.softness[r] = -inf, inf, 0.0
            rows.closes[r], rows.impulse[r], rows.kind[r], rows.normal[r] = 0, 0.0, SINGLE, -1
            _lay(context, i, r)
            now.rows += 1


@part()
def held_work(context):
    """Count the impulses of these rows; their work (J)."""
    rows, work, r = context.rows, 0.0, 0
    for i in range(context.joint_rows):
        if _holds(context.free, i):
            context.scratch.joint_impulse[i] += rows.impulse[r]
            work += rows.impulse[r] * rows.velocity[r]
            r += 1
    return work


@part()
def _holds(free, i):
    """Whether a row holds one velocity by any force."""
    return free.slowest[i] == free.fastest[i] and free.low[i] <= -ANY and free.high[i] >= ANY


@part()
def _lay(context, i, r):
    """Entries of the i-th row of the joints in row r, along the way of its degrees of freedom to the base."""
    free, pattern, tree, rows, work = (
        context.free, context.pattern, context.tree, context.rows, context.scratch.work
    )  # fmt: skip
    begin, end, k = rows.first[r], rows.first[r], pattern.first[i]
    for m in range(pattern.way_first[i], pattern.way_first[i + 1]):
        rows.place[end] = pattern.way[m]
        end += 1
    rows.loops[r] = rows.first[r + 1] = end
    if pattern.first[i + 1] == k + 1 and pattern.place[k] == rows.place[begin] and tree.size[1] == 0:
        # of one degree of freedom, as most are
        rows.y[begin] = free.jacobian[k]
        for m in range(begin + 1, end):
            rows.y[m] = 0.0
        half_solve_chain(tree, rows.place, rows.y, begin, end)
        return
    for m in range(k, pattern.first[i + 1]):
        work[pattern.place[m]] = free.jacobian[m]
    half_solve(tree, rows, r, work)


@part()
def stays_idle(context):
    """Whether the rows of joints that were left out still have a velocity within their target."""
    free, pattern = context.free, context.pattern
    for i in range(context.joint_rows):
        if context.scratch.joint_row[i] == LEFT_OUT:
            rate = _velocity(pattern, free.jacobian, context.scratch.end, i)
            if not free.slowest[i] <= rate <= free.fastest[i]:
                return False
    return True


@part()
def joint_work(context):
    """Work (J) of the rows over the substep."""
    total = 0.0
    for i in range(context.joint_rows):
        impulse = joint_impulse(context, i)
        if impulse != 0.0:
            before = _velocity(context.pattern, context.free.jacobian, context.v, i)
            after = _velocity(context.pattern, context.free.jacobian, context.scratch.end, i)
            total += 0.5 * impulse * (before + after)
    return total


@part()
def _velocity(pattern, jacobian, velocity, i):
    total = 0.0
    for k in range(pattern.first[i], pattern.first[i + 1]):
        total += jacobian[k] * velocity[pattern.place[k]]
    return total
