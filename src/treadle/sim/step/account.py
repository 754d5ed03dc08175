"""Account: work, contact totals, the history of contact forces, and the warm start of the next substep."""

from __future__ import annotations

from treadle.native.kernels import part
from treadle.sim.step.contact_trace import record_substep
from treadle.sim.step.joint_rows import joint_work
from treadle.sim.step.pair_totals import add_totals
from treadle.sim.step.predict import momentum
from treadle.sim.step.row_algebra import joint_impulse
from treadle.sim.step.warm_start import remember

__all__ = ["account"]


@part()
def account(context):
    """Sum up a substep whose displacement is known, before the state moves on."""
    now, given = context.now[0], context.scratch.joint_impulse
    if now.untold == 0:
        now.work += add_totals(context)
        for i in range(context.joint_rows):
            given[i] += joint_impulse(context, i)
    if len(context.free.push) > 0:
        now.work += _work(context)
    record_substep(context)
    remember(context)


@part()
def _work(context):
    """Work (J) of all forces but gravity, springs and contacts."""
    now, free, end, v = context.now[0], context.free, context.scratch.end, context.v
    work = joint_work(context)
    for k in range(context.nv):
        work += 0.5 * now.h * (free.push[k] - free.drag[k] * (end[k] - v[k])) * (v[k] + end[k])
    return work + _work_along_springs(context) if now.joint > 0 else work


@part()
def _work_along_springs(context):
    """What gravity and springs do along the way that is more than that of constant forces."""
    now, free, scratch, v, work = context.now[0], context.free, context.scratch, context.v, 0.0
    for k in range(context.nv):
        scratch.extra[k] = (free.velocity[k] - v[k]) / now.h
    momentum(context.tree, scratch.extra, scratch.work)
    for k in range(context.nv):
        way = 0.5 * now.h * (v[k] + scratch.end[k]) - scratch.shift[k]
        work += (scratch.extra[k] - free.push[k]) * way
    return work
