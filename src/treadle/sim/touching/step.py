"""A step of a machine with contact: spans from one beginning or end of a contact to the next."""

from __future__ import annotations

from math import inf
from typing import Annotated, NamedTuple

import numpy as np

from treadle.contact.soft import Soft
from treadle.native.calling import call, integers
from treadle.native.frames import Integers, IntegerTable, RealList, Reals, RealTable, Shaped, view
from treadle.native.kernels import inner, kernel
from treadle.sim.step import FASTEST
from treadle.sim.touching.diary import Diary, open_diary, write_span
from treadle.sim.touching.interval import displacement, impulses
from treadle.sim.touching.machine import Carried, Close, Free, Look, Move
from treadle.sim.touching.meeting import FIRST
from treadle.sim.touching.passing import place_bodies, safe_span
from treadle.sim.touching.points import POINT, SURFACE, fastest, rate, read_points, twists
from treadle.sim.touching.programs import Pattern
from treadle.sim.touching.rows import TOUCHING, impact_rows, joint_rows, joint_work, lasting_rows, stay_idle
from treadle.sim.touching.tally import Tally, add_impulses, clear
from treadle.solvers.sequential.entry import Solver, find_impulses, prepare_rows
from treadle.solvers.sequential.rows import Rows
from treadle.solvers.sequential.sweep import ENOUGH
from treadle.solvers.sequential.tree import Tree, spread

__all__ = ["Arena", "Room", "Spring", "Stage", "take_steps"]

#: Speed (m/s) at which rigid bodies have to meet to rebound.
SLOWEST_IMPACT = 1e-3

#: Beginnings and ends of contacts in one step, per body; after these, nothing rebounds until its end.
MOST_EVENTS = 400

#: Sweeps over the rows at most, and the change of velocity (m/s) at which they end.
_SWEEPS, _STILL = 1000, 1e-11

#: Spans tried until no contact begins or ends in one.
_ATTEMPTS = 100

#: Shorter spans than this share of the step are not told from none.
_NOTHING = 1e-13


class Arena(NamedTuple):
    """What collision detection reads and writes, and what surfaces are like."""

    entry: int
    frame: int
    bodies: RealTable  # (bodies + 1, 12)
    margin: Reals  # (1)
    result: Integers  # (1)
    data: Reals  # (points, 10)
    pairs: Integers  # (points, 2)
    feature: Integers  # (points)
    kind: Integers  # (shapes)
    placement: Reals  # (shapes, 12) in their bodies
    body: Integers  # (shapes)
    radius: Reals  # (shapes)
    thickness: Reals  # (shapes)
    bend: Reals  # (shapes) see `turning`
    material: Integers  # (shapes)
    surface_of: IntegerTable  # (materials, materials)
    distance: int
    distance_frame: int
    distance_pair: Integers  # frame of the distance
    distance_result: Reals  # (4) distance and normal


class Room(NamedTuple):
    """Scratch of a step."""

    twist_end: RealTable  # (bodies + 1, 6) at the end of the span
    twist_now: RealTable  # of what would be the end, where the bodies are at the start
    reach: RealList  # (shapes) speeds of their fastest points
    middle: Reals  # (nq)
    end: Reals  # (nv)
    shift: Reals  # (nv)
    z: Reals  # (nv + loops)
    work: Reals  # (nv + loops)
    points: Annotated[np.ndarray, Shaped(POINT)]
    #: forces (N) of the points of the span before: how many points, their keys, their rows
    known: Integers
    key: IntegerTable
    force: RealTable
    #: spans and sweeps so far, work (J) of all forces but gravity and springs
    effort: Reals  # (3)
    q_start: Reals  # (nq) where the step began
    v_start: Reals  # (nv)
    extra: Reals  # (nv)
    tally: Tally  # of the last step, as what follows
    diary: Diary


class Spring(NamedTuple):
    """What advances the contacts with stiffness."""

    entry: int
    frame: int


class Stage(NamedTuple):
    """All that a step needs: a machine, what it may touch, and memory to work in."""

    nq: int
    nv: int
    held: int  # rows of joints
    move: Move
    look: Look
    free: Free
    close: Close
    tree: Tree
    pattern: Pattern
    carried: Carried
    arena: Arena
    surfaces: Annotated[np.ndarray, Shaped(SURFACE)]
    room: Room
    solver: Solver
    rows: Rows
    soft: Soft
    spring: Spring
    q: Reals
    v: Reals
    tau: Reals


_stage = view(Stage)


@kernel(nogil=True)
def take_steps(table, h, time, count):
    """Advance the state of the stage with this table by steps of h (s) from a time; how many were taken.

    Fewer are where the machine leaves the finite numbers, where `arena.result` says what collision detection
    could not do, or where more pairs touched than `room.tally` has room for; the state is then that after the
    last step that was taken.
    """
    stage = _stage(integers(table))
    q, v, nq, nv, room, close = stage.q, stage.v, stage.nq, stage.nv, stage.room, stage.close
    most = MOST_EVENTS * (len(room.twist_end) - 1)
    for step in range(count):
        _copy(q, room.q_start, nq)
        _copy(v, room.v_start, nv)
        clear(room.tally)
        open_diary(room.diary)
        # how far to look for the next event: with many of them, one is not far from the one before
        left, ahead, spans, events, work = h, h, 0, 0, 0.0
        while left > _NOTHING * h:
            slowest = SLOWEST_IMPACT if events < most else inf
            span, cut, done = _take_span(
                stage, min(left, ahead), time + h - left, slowest, _NOTHING * h, h - left
            )
            if span < 0.0:
                _copy(room.q_start, q, nq)
                _copy(room.v_start, v, nv)
                return step
            work += done
            left -= span
            ahead = (2.0 if cut else 4.0) * span
            spans += 1
            events += cut
        if close.entry != 0:
            _copy(q, close.q, nq)
            _copy(v, close.v, nv)
            call(close.entry, close.frame)
            _copy(close.position, q, nq)
            _copy(close.velocity, v, nv)
        if not _sound(v, nv) or room.tally.size[0] > len(room.tally.at):
            _copy(room.q_start, q, nq)
            _copy(room.v_start, v, nv)
            return step
        room.effort[0] += spans
        room.effort[2] += work
        time += h
    return count


@inner()
def _take_span(stage, span, time, slowest, shortest, gone):
    """Advance to the next beginning or end of a contact, at most by `span`, `gone` (s) after the step began.

    Returns the time taken (negative where collision detection failed), 1 if a contact began or ended there,
    and the work done.
    """
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
        found = _look_ahead(stage, span, time)
        if found < 0:
            return -1.0, 0, 0.0
        if not safe:
            safe = True
            until = safe_span(stage, found, span)
            if until < span:
                span = until
                continue
        joint_rows(free, held, stage.pattern, tree, rows, room.work, idle)
        used, springs, blur = lasting_rows(
            room.points, found, stage.surfaces, arena, stage.carried.last, free, tree, rows, room.work,
            held, span, slowest, soft, apart,
        )  # fmt: skip
        if used < 0:
            found = _look_ahead(stage, 0.0, time)
            used, met = impact_rows(
                room.points, found, stage.surfaces, stage.carried.last, free.axes, v, tree, rows,
                room.work, np.int64(0), slowest,
            )  # fmt: skip
            if met == 0:
                # the middle of the span tells where they are at its start but for how they turn
                apart = True
                continue
            prepare_rows(solver, used)
            taken = find_impulses(solver, used, _SWEEPS, _STILL)
            room.effort[1] += taken
            _copy(v, end, nv)
            spread(tree, room.z, room.work, end)
            twists(stage.carried, free.axes, end, room.twist_end)
            work += add_impulses(
                room.tally, room.points, found, stage.surfaces, rows, soft, free.twist, room.twist_end, 0.0,
                taken < ENOUGH,
            )  # fmt: skip
            _copy(end, v, nv)
            cut = 1
            continue
        _recall(room, found, rows.impulse, span, soft.settings)
        until, taken, sticking = impulses(
            solver, rows, used, soft, springs, stage.spring, room.z, span, _SWEEPS, _STILL + blur
        )
        room.effort[1] += taken
        if until < span * (1.0 - 1e-12) and not last:
            span, cut, apart = max(until, shortest), 1, False
            continue
        _copy(free.velocity, end, nv)
        spread(tree, room.z, room.work, end)
        if idle and not stay_idle(free, held, stage.pattern, rows, end):
            idle = np.bool_(False)
            continue
        twists(stage.carried, free.axes, end, room.twist_end)
        if slowest < inf:
            begins = _next_beginning(stage, span, found)
            if begins < span * (1.0 - 1e-12):
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
    _copy(room.middle, move.q, stage.nq)
    for k in range(nv):
        move.step[k] = room.shift[k] - 0.5 * span * v[k]
    call(move.entry, move.frame)
    _copy(move.position, q, stage.nq)
    _copy(end, v, nv)
    _remember(room, found, rows.impulse, span, soft.settings)
    return span, cut, work


@inner()
def _copy(source, target, count):
    for k in range(count):
        target[k] = source[k]


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


@inner()
def _sound(v, count):
    """Whether all speeds are of this world."""
    total = 0.0
    for k in range(count):
        total += v[k] * v[k]
    return total < FASTEST * FASTEST


@inner()
def _look_ahead(stage, span, time):
    """Go to the middle of the span and find the points that may touch in it; how many, or what was wrong."""
    move, free, arena, room, v = stage.move, stage.free, stage.arena, stage.room, stage.v
    _copy(stage.q, move.q, stage.nq)
    for k in range(stage.nv):
        move.step[k] = 0.5 * span * v[k]
    call(move.entry, move.frame)
    for k in range(stage.nq):
        room.middle[k] = free.position[k] = move.position[k]
    _copy(v, free.v, stage.nv)
    _copy(stage.tau, free.tau, stage.nv)
    free.span[0], free.time[0] = span, time
    call(free.entry, free.frame)
    place_bodies(free.poses, arena.bodies)
    reach = fastest(arena, free.poses, free.twist, free.twist_free, room.reach)
    arena.margin[0] = 1.5 * span * reach + 1e-6
    call(arena.entry, arena.frame)
    found = arena.result[0]
    if found >= 0:
        read_points(arena, stage.surfaces, found, free, span, room.points)
    return found


@inner()
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
        # a bound that stays where it is loses weight (Illinois)
        if d > 0.0:
            low, d_low = t, d
            d_high *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            high, d_high = t, d
            d_low *= 0.5 if side == -1 else 1.0
            side = -1
        if high - low <= 1e-15 * span or abs(d) <= 1e-17:
            break
    return high


@inner()
def _distance(stage, span, t):
    """Distance of the two shapes of the distance frame at a time of the span."""
    move, look, arena, v, end = stage.move, stage.look, stage.arena, stage.v, stage.room.end
    _copy(stage.q, move.q, stage.nq)
    for k in range(stage.nv):
        move.step[k] = t * v[k] + (0.5 * t * t / span) * (end[k] - v[k])
    call(move.entry, move.frame)
    _copy(move.position, look.position, stage.nq)
    call(look.entry, look.frame)
    place_bodies(look.poses, arena.bodies)
    call(arena.distance, arena.distance_frame)
    return arena.distance_result[0]


@inner()
def _recall(room, found, impulse, span, settings):
    """Start from the forces that the same points had before, and keep the speeds at which they met."""
    points, key, force, known, k = room.points, room.key, room.force, room.known[0], 0
    for c in range(found):
        point = points[c]
        if point.row < 0:
            continue
        # most points follow each other as they did
        for _ in range(known):
            k = k if k < known else 0
            if key[k, 0] == point.a and key[k, 1] == point.b and key[k, 2] == point.feature:
                for i in range(point.rows):
                    impulse[point.row + i] = force[k, i] * span
                if point.spring >= 0 and point.gap < -TOUCHING:
                    settings[4 * point.spring + 2] = force[k, 6]
                k += 1
                break
            k += 1


@inner()
def _remember(room, found, impulse, span, settings):
    """Keep the forces of the points, and the speeds at which they met."""
    key, force, known = room.key, room.force, 0
    for c in range(found):
        point = room.points[c]
        if point.row >= 0:
            key[known, 0], key[known, 1], key[known, 2] = point.a, point.b, point.feature
            for i in range(point.rows):
                force[known, i] = impulse[point.row + i] / span
            force[known, 6] = settings[4 * point.spring + 2] if point.spring >= 0 else 0.0
            point.known = known
            known += 1
    room.known[0] = known
