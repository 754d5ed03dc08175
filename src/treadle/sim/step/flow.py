"""Flow: the step of the machine's integrator, where no contact acts.

Between contacts a machine moves by the map of its integrator, at that one's order; the time of impact is the
zero of the distance along it. The midpoint rule of contact substeps is a map of its own: it has no flow.
"""

from __future__ import annotations

from math import inf

from treadle.native.calling import call
from treadle.native.kernels import part
from treadle.sim.step.contact_rows import PRESSED
from treadle.sim.step.points import TOUCHING, twists
from treadle.sim.step.warm_start import clear_accelerations, copy

__all__ = ["flow_to", "flows", "glide", "land", "take_off"]


@part()
def flows(context):
    """Whether the substep is the integrator's: it has a map, and no contact acts at the start."""
    now = context.now[0]
    context.flow.active[0] = 0
    if context.flow.entry == 0:
        return False
    for c in range(now.found):
        point = context.scratch.points[c]
        if point.muted == 1:
            continue
        if point.gap <= TOUCHING and _acts(context, point):
            return False
        if now.uncut == 1 and point.gap + 0.5 * now.h * (point.speed + point.free) < 0.0:
            # nothing else would stop it
            return False
    context.flow.active[0] = 1
    return True


@part()
def _acts(context, point):
    """Whether contact acts where surfaces touch: they do not separate, or so slowly that rigid ones are back
    within the substep without a rebound, or compliant ones are pressed.
    """
    now = context.now[0]
    if point.speed <= 0.0:
        return True
    if context.surfaces[point.surface].stiffness < inf:
        return point.gap < -PRESSED
    return (
        point.speed <= now.impact_speed and point.gap + 0.5 * now.h * (point.speed + point.free) <= TOUCHING
    )


@part()
def glide(context):
    """Predict by the integrator alone, for a machine that nothing touched in the substep before.

    Poses, axes and twists in the middle are all that detection needs; `predict` has them with much else.
    """
    now, flow, free, move, look, v = (
        context.now[0], context.flow, context.free, context.move, context.look, context.v
    )  # fmt: skip
    _flow_from_start(context)
    copy(flow.next_v, free.velocity, context.nv)
    copy(context.q, move.q, context.nq)
    for k in range(context.nv):
        move.step[k] = 0.5 * now.h * v[k]
    call(move.entry, move.frame)
    copy(move.position, look.position, context.nq)
    call(look.entry, look.frame)
    copy(look.poses, free.poses, 12 * (len(free.twist) - 1))
    copy(look.axes, free.axes, 6 * context.nv)
    twists(context.body_tree, free.axes, v, free.twist)
    twists(context.body_tree, free.axes, free.velocity, free.twist_free)


@part()
def take_off(context):
    """The state after the substep by the integrator."""
    scratch = context.scratch
    if context.now[0].airborne == 0:
        _flow_from_start(context)
    copy(context.flow.next_v, scratch.end, context.nv)
    twists(context.body_tree, context.free.axes, scratch.end, scratch.twist_end)


@part()
def _flow_from_start(context):
    """The state at the end of the substep by the integrator."""
    now, flow = context.now[0], context.flow
    copy(context.q, flow.q, context.nq)
    copy(context.v, flow.v, context.nv)
    copy(context.tau, flow.tau, context.nv)
    flow.clock[0], flow.clock[1] = now.time, 0.0
    flow.dt[0] = inf
    flow_to(flow, now.h)


@part()
def flow_to(flow, h):
    """Have the state after h from where the substep began; nothing to do where it was the last queried."""
    if flow.dt[0] != h:
        flow.dt[0] = h
        call(flow.entry, flow.frame)


@part()
def land(context):
    """Take over the state that the integrator led to; whether its error control could."""
    now, flow, scratch = context.now[0], context.flow, context.scratch
    flow.active[0] = 0
    flow_to(flow, now.h)
    copy(flow.next_q, context.q, context.nq)
    copy(flow.next_v, context.v, context.nv)
    copy(flow.next_memory, flow.memory, flow.memory_size)
    now.work += flow.next_ledger[0]
    scratch.known[0] = 0
    for i in range(context.joint_rows):
        scratch.joint_force[i] = 0.0
    clear_accelerations(context)
    return flow.adaptive == 0 or flow.next_effort[1] <= 0.0
