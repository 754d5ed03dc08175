"""A span of a step with contact: from one beginning or end of a contact to the next."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

import numpy as np
from numba import types

from treadle.native.calling import call
from treadle.native.kernels import cfunc, inner, part
from treadle.sim.step.conservative_advancement import place_bodies, safe_substep
from treadle.sim.step.contact_rows import (
    TOUCHING,
    impact_rows,
    joint_rows,
    joint_work,
    lasting_rows,
    stay_idle,
)
from treadle.sim.step.contact_trace import record_substep
from treadle.sim.step.context import read_context
from treadle.sim.step.pair_distance import FIRST
from treadle.sim.step.pair_totals import add_totals
from treadle.sim.step.points import fastest, rate, read_points, twists
from treadle.sim.step.substep_solve import SAME_END, displacement, impulses
from treadle.sim.step.warm_start import copy, recall, remember
from treadle.solvers.sequential.entry import find_impulses, prepare_rows
from treadle.solvers.sequential.sweep import ENOUGH
from treadle.solvers.sequential.tree import spread

__all__ = ["NOTHING", "advance", "substep_entry"]

#: Sweeps over the rows at most, and the change of velocity (m/s) at which they end.
_SWEEPS, _STILL = 1000, 1e-11

#: Shorter spans than this share of the step are not told from none.
NOTHING = 1e-13

#: Spans tried until no contact begins or ends in one.
_ATTEMPTS = 100


@part()
def advance(context, table, span, time, slowest, stopping, step, gone):
    """Advance to the next beginning or end of a contact, at most by `span`, `gone` (s) after a `step` began.

    `table` is the address of the context's. Impacts rebound from `slowest` (m/s) on; bodies that do not rebound
    are stopped where they meet if they would be deep in each other after `stopping` (s). Returns the time
    taken (negative where collision detection failed), 1 if a contact began or ended there, and the work done.
    """
    order = context.span.order
    order[0], order[1], order[2], order[3], order[4], order[5] = span, time, slowest, stopping, step, gone
    call(context.span.entry, table)
    return order[0], order[1], order[2]


def substep_entry() -> int:
    """Where the code begins; kernels call it by address, so that it is not compiled with each of them."""
    return _compiled().address


@cache
def _compiled() -> Any:
    return cfunc(types.void(types.CPointer(types.int64)), cache=True, error_model="numpy")(_advance)


def _advance(table: Any) -> None:
    """Advance to the next beginning or end of a contact, as the order of the context says.

    Afterwards that holds the time taken (negative where collision detection failed), 1 if a contact began or
    ended there, and the work done.
    """
    context = read_context(table)
    order = context.span.order
    span, time, slowest, stopping, step, gone = order[0], order[1], order[2], order[3], order[4], order[5]
    shortest = NOTHING * step
    q, v, nv, scratch, rows, soft, solver = (
        context.q, context.v, context.nv, context.scratch, context.rows, context.soft, context.solver
    )  # fmt: skip
    free, tree, held, detection, end = (
        context.free,
        context.tree,
        context.held,
        context.detection,
        scratch.end,
    )
    found, used, springs, cut, work, safe, taken, sticking = 0, 0, 0, 0, 0.0, False, 0, 0
    apart, idle = np.bool_(False), np.bool_(True)
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        if last:
            # whatever still begins or ends does so without a rebound
            slowest, idle = inf, np.bool_(False)
        found = _predict_and_detect(context, span, step, time)
        if found < 0:
            order[0], order[1], order[2] = -1.0, 0.0, 0.0
            return
        if not safe:
            safe = True
            until = safe_substep(context, found, span)
            if until < span:
                span = until
                continue
        joint_rows(free, held, context.pattern, tree, rows, scratch.work, scratch.joint_force, span, idle)
        used, springs, target_error = lasting_rows(
            scratch.points, found, context.surfaces, detection, context.body_tree.last, free, tree, rows, scratch.work,
            held, span, stopping, slowest, soft, apart,
        )  # fmt: skip
        if used < 0:
            found = _predict_and_detect(context, 0.0, step, time)
            used, met = impact_rows(
                scratch.points, found, context.surfaces, context.body_tree.last, free.axes, v, tree, rows,
                scratch.work, np.int64(0), slowest,
            )  # fmt: skip
            if met == 0:
                # the middle of the span tells where they are at its start but for how they turn
                apart = True
                continue
            prepare_rows(solver, used)
            taken = find_impulses(solver, used, _SWEEPS, _STILL, 0.0)
            scratch.effort[1] += taken
            copy(v, end, nv)
            spread(tree, scratch.z, scratch.work, end)
            twists(context.body_tree, free.axes, end, scratch.twist_end)
            work += add_totals(
                scratch.totals, scratch.points, found, context.surfaces, rows, soft, free.twist, scratch.twist_end, 0.0,
                taken < ENOUGH,
            )  # fmt: skip
            copy(end, v, nv)
            cut = 1
            continue
        recall(scratch, found, rows.impulse, span, soft.settings)
        until, taken, sticking = impulses(
            solver, rows, used, soft, springs, context.spring, scratch.z, span, _SWEEPS, _STILL, target_error
        )
        scratch.effort[1] += taken
        if until < span * (1.0 - SAME_END) and not last:
            span, cut, apart = max(until, shortest), 1, False
            continue
        copy(free.velocity, end, nv)
        spread(tree, scratch.z, scratch.work, end)
        if idle and not stay_idle(free, held, context.pattern, rows, end):
            idle = np.bool_(False)
            continue
        twists(context.body_tree, free.axes, end, scratch.twist_end)
        if slowest < inf:
            begins = _next_impact(context, span, found)
            if begins < span * (1.0 - SAME_END):
                span, cut, apart = max(begins, shortest), 1, False
                continue
        break
    work += joint_work(free.jacobian, held, context.pattern, rows, v, end)
    for k in range(nv):
        work += 0.5 * span * (free.push[k] - free.drag[k] * (end[k] - v[k])) * (v[k] + end[k])
    displacement(
        solver, scratch.points, found, rows, used, sticking, soft, springs, tree, v, scratch.twist_end, scratch, span
    )  # fmt: skip
    if springs > 0:
        # what gravity and springs do on the way that is more than that of constant forces
        for k in range(nv):
            scratch.extra[k] = (free.velocity[k] - v[k]) / span
        _momentum(tree, scratch.extra, scratch.work)
        for k in range(nv):
            way = 0.5 * span * (v[k] + end[k]) - scratch.shift[k]
            work += (scratch.extra[k] - free.push[k]) * way
    work += add_totals(
        scratch.totals, scratch.points, found, context.surfaces, rows, soft, free.twist, scratch.twist_end, span,
        taken < ENOUGH,
    )  # fmt: skip
    record_substep(scratch.trace, scratch.points, found, soft, springs, gone, span)
    move = context.move
    copy(scratch.middle, move.q, context.nq)
    for k in range(nv):
        move.step[k] = scratch.shift[k] - 0.5 * span * v[k]
    call(move.entry, move.frame)
    copy(move.position, q, context.nq)
    copy(end, v, nv)
    remember(scratch, held, found, rows.impulse, span, soft.settings)
    order[0], order[1], order[2] = span, cut, work


@inner()
def _momentum(tree, x, work):
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
def _predict_and_detect(context, span, step, time):
    """Go to the middle of the span and find the points that may touch in it; how many, or what was wrong."""
    move, free, detection, scratch, v = (
        context.move,
        context.free,
        context.detection,
        context.scratch,
        context.v,
    )
    copy(context.q, move.q, context.nq)
    for k in range(context.nv):
        move.step[k] = 0.5 * span * v[k]
    call(move.entry, move.frame)
    for k in range(context.nq):
        scratch.middle[k] = free.position[k] = move.position[k]
    copy(v, free.v, context.nv)
    copy(context.tau, free.tau, context.nv)
    free.span[0], free.step[0], free.time[0] = span, step, time
    call(free.entry, free.frame)
    place_bodies(free.poses, detection.bodies)
    reach = fastest(detection, free.poses, free.twist, free.twist_free, scratch.reach)
    detection.margin[0] = 1.5 * span * reach + 1e-6
    call(detection.entry, detection.frame)
    found = detection.result[0]
    if found >= 0:
        read_points(detection, context.surfaces, found, free, span, scratch.points)
    return found


@part()
def _next_impact(context, span, found):
    """When the first of the pending contacts begins; the span if none does."""
    begins, scratch = span, context.scratch
    for c in range(found):
        point = scratch.points[c]
        if point.pending == 0:
            continue
        last = rate(scratch.twist_end, point)
        end = point.distance + 0.5 * span * last
        if end < -1e-12 or point.distance < 0.0 < point.gap:
            change = (last - point.speed) / span
            # one that has just ended begins again after its turning point
            early = 0.0
            if point.gap <= TOUCHING and change < 0.0 < point.speed:
                early = min(-point.speed / change, span)
            begins = min(begins, _time_of_impact(context, point.a, point.b, span, early, begins))
    return begins


@inner()
def _time_of_impact(context, a, b, span, low, high):
    """When two shapes meet, between two times: the zero of their distance."""
    context.detection.distance_pair[FIRST], context.detection.distance_pair[FIRST + 1] = a, b
    d_low, d_high = _distance(context, span, low), _distance(context, span, high)
    if d_high > 0.0:
        return high
    if d_low <= 0.0:
        return low
    side = 0
    for _ in range(100):
        t = (low * d_high - high * d_low) / (d_high - d_low)
        if not low < t < high:
            t = 0.5 * (low + high)
        d = _distance(context, span, t)
        if abs(d) <= 1e-17:
            return t
        # a bound that stays where it is loses weight (Illinois)
        if d > 0.0:
            low, d_low = t, d
            d_high *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            high, d_high = t, d
            d_low *= 0.5 if side == -1 else 1.0
            side = -1
        if high - low <= 1e-15 * span:
            break
    return high


@inner()
def _distance(context, span, t):
    """Distance of the two shapes of the distance frame at a time of the span."""
    move, look, detection, v, end = (
        context.move,
        context.look,
        context.detection,
        context.v,
        context.scratch.end,
    )
    copy(context.q, move.q, context.nq)
    for k in range(context.nv):
        move.step[k] = t * v[k] + (0.5 * t * t / span) * (end[k] - v[k])
    call(move.entry, move.frame)
    copy(move.position, look.position, context.nq)
    call(look.entry, look.frame)
    place_bodies(look.poses, detection.bodies)
    call(detection.distance, detection.distance_frame)
    return detection.distance_result[0]
