"""A span of a step with contact: from one beginning or end of a contact to the next."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

import numpy as np
from numba import types

from treadle.native.calling import call
from treadle.native.kernels import cfunc, inner, part
from treadle.sim.touching.diary import write_span
from treadle.sim.touching.interval import SAME_END, displacement, impulses
from treadle.sim.touching.meeting import FIRST
from treadle.sim.touching.memory import copy, recall, remember
from treadle.sim.touching.passing import place_bodies, safe_span
from treadle.sim.touching.points import fastest, rate, read_points, twists
from treadle.sim.touching.rows import TOUCHING, impact_rows, joint_rows, joint_work, lasting_rows, stay_idle
from treadle.sim.touching.stage import read_stage
from treadle.sim.touching.tally import add_impulses
from treadle.solvers.sequential.entry import find_impulses, prepare_rows
from treadle.solvers.sequential.sweep import ENOUGH
from treadle.solvers.sequential.tree import spread

__all__ = ["NOTHING", "advance", "span_entry"]

#: Sweeps over the rows at most, and the change of velocity (m/s) at which they end.
_SWEEPS, _STILL = 1000, 1e-11

#: Shorter spans than this share of the step are not told from none.
NOTHING = 1e-13

#: Spans tried until no contact begins or ends in one.
_ATTEMPTS = 100


@part()
def advance(stage, table, span, time, slowest, stopping, step, gone):
    """Advance to the next beginning or end of a contact, at most by `span`, `gone` (s) after a `step` began.

    `table` is the address of the stage's. Impacts rebound from `slowest` (m/s) on; bodies that do not rebound
    are stopped where they meet if they would be deep in each other after `stopping` (s). Returns the time
    taken (negative where collision detection failed), 1 if a contact began or ended there, and the work done.
    """
    order = stage.span.order
    order[0], order[1], order[2], order[3], order[4], order[5] = span, time, slowest, stopping, step, gone
    call(stage.span.entry, table)
    return order[0], order[1], order[2]


def span_entry() -> int:
    """Where the code begins; kernels call it by address, so that it is not compiled with each of them."""
    return _compiled().address


@cache
def _compiled() -> Any:
    return cfunc(types.void(types.CPointer(types.int64)), cache=True, error_model="numpy")(_advance)


def _advance(table: Any) -> None:
    """Advance to the next beginning or end of a contact, as the order of the stage says.

    Afterwards that holds the time taken (negative where collision detection failed), 1 if a contact began or
    ended there, and the work done.
    """
    stage = read_stage(table)
    order = stage.span.order
    span, time, slowest, stopping, step, gone = order[0], order[1], order[2], order[3], order[4], order[5]
    shortest = NOTHING * step
    q, v, nv, room, rows, soft, solver = (
        stage.q, stage.v, stage.nv, stage.room, stage.rows, stage.soft, stage.solver
    )  # fmt: skip
    free, tree, held, arena, end = stage.free, stage.tree, stage.held, stage.arena, room.end
    found, used, springs, cut, work, safe, taken, sticking = 0, 0, 0, 0, 0.0, False, 0, 0
    apart, idle = np.bool_(False), np.bool_(True)
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        if last:
            # whatever still begins or ends does so without a rebound
            slowest, idle = inf, np.bool_(False)
        found = _look_ahead(stage, span, step, time)
        if found < 0:
            order[0], order[1], order[2] = -1.0, 0.0, 0.0
            return
        if not safe:
            safe = True
            until = safe_span(stage, found, span)
            if until < span:
                span = until
                continue
        joint_rows(free, held, stage.pattern, tree, rows, room.work, room.joint_force, span, idle)
        used, springs, blur = lasting_rows(
            room.points, found, stage.surfaces, arena, stage.carried.last, free, tree, rows, room.work,
            held, span, stopping, slowest, soft, apart,
        )  # fmt: skip
        if used < 0:
            found = _look_ahead(stage, 0.0, step, time)
            used, met = impact_rows(
                room.points, found, stage.surfaces, stage.carried.last, free.axes, v, tree, rows,
                room.work, np.int64(0), slowest,
            )  # fmt: skip
            if met == 0:
                # the middle of the span tells where they are at its start but for how they turn
                apart = True
                continue
            prepare_rows(solver, used)
            taken = find_impulses(solver, used, _SWEEPS, _STILL, 0.0)
            room.effort[1] += taken
            copy(v, end, nv)
            spread(tree, room.z, room.work, end)
            twists(stage.carried, free.axes, end, room.twist_end)
            work += add_impulses(
                room.tally, room.points, found, stage.surfaces, rows, soft, free.twist, room.twist_end, 0.0,
                taken < ENOUGH,
            )  # fmt: skip
            copy(end, v, nv)
            cut = 1
            continue
        recall(room, found, rows.impulse, span, soft.settings)
        until, taken, sticking = impulses(
            solver, rows, used, soft, springs, stage.spring, room.z, span, _SWEEPS, _STILL, blur
        )
        room.effort[1] += taken
        if until < span * (1.0 - SAME_END) and not last:
            span, cut, apart = max(until, shortest), 1, False
            continue
        copy(free.velocity, end, nv)
        spread(tree, room.z, room.work, end)
        if idle and not stay_idle(free, held, stage.pattern, rows, end):
            idle = np.bool_(False)
            continue
        twists(stage.carried, free.axes, end, room.twist_end)
        if slowest < inf:
            begins = _next_beginning(stage, span, found)
            if begins < span * (1.0 - SAME_END):
                span, cut, apart = max(begins, shortest), 1, False
                continue
        break
    work += joint_work(free.jacobian, held, stage.pattern, rows, v, end)
    for k in range(nv):
        work += 0.5 * span * (free.push[k] - free.drag[k] * (end[k] - v[k])) * (v[k] + end[k])
    displacement(
        solver, room.points, found, rows, used, sticking, soft, springs, tree, v, room.twist_end, room, span
    )  # fmt: skip
    if springs > 0:
        # what gravity and springs do on the way that is more than that of constant forces
        for k in range(nv):
            room.extra[k] = (free.velocity[k] - v[k]) / span
        _momentum(tree, room.extra, room.work)
        for k in range(nv):
            way = 0.5 * span * (v[k] + end[k]) - room.shift[k]
            work += (room.extra[k] - free.push[k]) * way
    work += add_impulses(
        room.tally, room.points, found, stage.surfaces, rows, soft, free.twist, room.twist_end, span,
        taken < ENOUGH,
    )  # fmt: skip
    write_span(room.diary, room.points, found, soft, springs, gone, span)
    move = stage.move
    copy(room.middle, move.q, stage.nq)
    for k in range(nv):
        move.step[k] = room.shift[k] - 0.5 * span * v[k]
    call(move.entry, move.frame)
    copy(move.position, q, stage.nq)
    copy(end, v, nv)
    remember(room, held, found, rows.impulse, span, soft.settings)
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
def _look_ahead(stage, span, step, time):
    """Go to the middle of the span and find the points that may touch in it; how many, or what was wrong."""
    move, free, arena, room, v = stage.move, stage.free, stage.arena, stage.room, stage.v
    copy(stage.q, move.q, stage.nq)
    for k in range(stage.nv):
        move.step[k] = 0.5 * span * v[k]
    call(move.entry, move.frame)
    for k in range(stage.nq):
        room.middle[k] = free.position[k] = move.position[k]
    copy(v, free.v, stage.nv)
    copy(stage.tau, free.tau, stage.nv)
    free.span[0], free.step[0], free.time[0] = span, step, time
    call(free.entry, free.frame)
    place_bodies(free.poses, arena.bodies)
    reach = fastest(arena, free.poses, free.twist, free.twist_free, room.reach)
    arena.margin[0] = 1.5 * span * reach + 1e-6
    call(arena.entry, arena.frame)
    found = arena.result[0]
    if found >= 0:
        read_points(arena, stage.surfaces, found, free, span, room.points)
    return found


@part()
def _next_beginning(stage, span, found):
    """When the first of the awaited contacts begins; the span if none does."""
    begins, room = span, stage.room
    for c in range(found):
        point = room.points[c]
        if point.awaited == 0:
            continue
        last = rate(room.twist_end, point)
        end = point.distance + 0.5 * span * last
        if end < -1e-12 or point.distance < 0.0 < point.gap:
            change = (last - point.speed) / span
            # one that has just ended begins again after its turning point
            early = 0.0
            if point.gap <= TOUCHING and change < 0.0 < point.speed:
                early = min(-point.speed / change, span)
            begins = min(begins, _meeting(stage, point.a, point.b, span, early, begins))
    return begins


@inner()
def _meeting(stage, a, b, span, low, high):
    """When two shapes meet, between two times: the zero of their distance."""
    stage.arena.distance_pair[FIRST], stage.arena.distance_pair[FIRST + 1] = a, b
    d_low, d_high = _distance(stage, span, low), _distance(stage, span, high)
    if d_high > 0.0:
        return high
    if d_low <= 0.0:
        return low
    side = 0
    for _ in range(100):
        t = (low * d_high - high * d_low) / (d_high - d_low)
        if not low < t < high:
            t = 0.5 * (low + high)
        d = _distance(stage, span, t)
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
def _distance(stage, span, t):
    """Distance of the two shapes of the distance frame at a time of the span."""
    move, look, arena, v, end = stage.move, stage.look, stage.arena, stage.v, stage.room.end
    copy(stage.q, move.q, stage.nq)
    for k in range(stage.nv):
        move.step[k] = t * v[k] + (0.5 * t * t / span) * (end[k] - v[k])
    call(move.entry, move.frame)
    copy(move.position, look.position, stage.nq)
    call(look.entry, look.frame)
    place_bodies(look.poses, arena.bodies)
    call(arena.distance, arena.distance_frame)
    return arena.distance_result[0]
