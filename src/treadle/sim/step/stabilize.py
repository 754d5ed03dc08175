"""Stabilize: push rigid bodies out of each other, and close loops."""

from __future__ import annotations

from math import inf

from treadle.native.calling import call
from treadle.native.kernels import part
from treadle.sim.step.pair_totals import LOOPS
from treadle.sim.step.points import RIGID, rate
from treadle.sim.step.row_algebra import row_velocity
from treadle.sim.step.warm_start import copy
from treadle.solvers.agreement import largest
from treadle.solvers.sequential.solver_abi import close_gaps
from treadle.solvers.sequential.tree import spread
from treadle.solvers.stabilization import CLOSED

__all__ = ["close_loops", "push_out"]

#: Share of a penetration of rigid bodies at its start that a substep takes back.
_SHARE = 0.5

#: Penetration (m) that is left alone, sweeps, and the displacement (m) at which they end.
_SHALLOW, _SWEEPS, _STILL = 1e-10, 30, 1e-14

#: Numbers about loops.
_KNOWN = len(CLOSED)


@part()
def push_out(context):
    """Add split impulses to the displacement: all penetration of this substep, a share of that before.

    What rolls is drawn back as well: its rows keep velocities, not distances (see `contact_rows`).
    """
    now, rows, scratch, deepest = context.now[0], context.rows, context.scratch, 0.0
    for c in range(now.found):
        point = scratch.points[c]
        if point.row >= 0 and point.spring == RIGID and point.asleep == 0:
            if now.stepping == 1 and rate(scratch.twist_end, point) > now.impact_speed:
                # what rebounds leaves by itself
                continue
            rest = (1.0 - _SHARE) * min(max(point.end, point.gap), 0.0)
            if point.rolls == 1 and rows.impulse[point.row] > 0.0:
                # surfaces that roll on each other stay together
                rows.low[point.row], deepest = -inf, max(deepest, point.end)
            rows.closes[point.row], rows.closing[point.row] = 1, rest - point.end
            deepest = max(deepest, -point.end)
    if largest(context, deepest) <= _SHALLOW:
        return
    close_gaps(context.solver, now.rows, _SWEEPS, _STILL)
    for c in range(now.found):
        point = scratch.points[c]
        if point.row >= 0 and rows.closes[point.row] == 1:
            point.end += row_velocity(rows, point.row, scratch.z)
    spread(context.tree, scratch.z, scratch.work, scratch.shift)


@part()
def close_loops(context):
    """Project position and velocity onto closed loops, and keep how far these are open."""
    close, worst = context.close, context.scratch.totals.worst
    if close.entry == 0:
        return
    copy(context.q, close.q, context.nq)
    copy(context.v, close.v, context.nv)
    for i in range(_KNOWN):
        close.gap[i] = worst[LOOPS + i]
    call(close.entry, close.frame)
    copy(close.position, context.q, context.nq)
    copy(close.velocity, context.v, context.nv)
    for i in range(_KNOWN):
        worst[LOOPS + i] = close.next_gap[i]
