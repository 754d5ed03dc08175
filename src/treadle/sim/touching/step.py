"""A step of a machine with contact: spans from one beginning or end of a contact to the next."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from treadle.native.calling import call
from treadle.native.kernels import inner, kernel
from treadle.sim.step import FASTEST
from treadle.sim.touching.interval import displacement, impulses
from treadle.sim.touching.meeting import FIRST
from treadle.sim.touching.points import fastest, rate, read_points, twists
from treadle.sim.touching.rows import TOUCHING, impact_rows, joint_rows, lasting_rows
from treadle.solvers.sequential.rows import TOGETHER
from treadle.solvers.sequential.sweep import prepare, solve
from treadle.solvers.sequential.tree import spread

__all__ = ["Arena", "Room", "take_steps"]

#: Speed (m/s) at which rigid bodies have to meet to rebound.
SLOWEST_IMPACT = 1e-3

#: Beginnings and ends of contacts in one step; after these, nothing rebounds any more until its end.
MOST_EVENTS = 400

#: Sweeps over the rows at most, and the change of velocity (m/s) at which they end.
_SWEEPS, _STILL = 1000, 1e-12

#: Spans tried until no contact begins or ends in one.
_ATTEMPTS = 100

#: Shorter spans than this share of the step are not told from none.
_NOTHING = 1e-13


class Arena(NamedTuple):
    """What collision detection reads and writes, and what surfaces are like."""

    entry: int
    frame: int
    bodies: np.ndarray  # (bodies + 1, 12)
    margin: np.ndarray  # (1)
    result: np.ndarray  # (1)
    data: np.ndarray
    pairs: np.ndarray
    feature: np.ndarray
    X: np.ndarray  # (shapes, 12)
    body: np.ndarray  # (shapes)
    radius: np.ndarray  # (shapes)
    material: np.ndarray  # (shapes)
    surface_of: np.ndarray  # (materials, materials)
    distance: int
    distance_frame: np.ndarray
    distance_frame_address: int
    distance_result: np.ndarray


class Room(NamedTuple):
    """Scratch of a step."""

    twist: np.ndarray  # (bodies + 1, 6) at the start of the span
    twist_free: np.ndarray  # at its end, without contact
    twist_end: np.ndarray  # and with it
    middle: np.ndarray  # (nq)
    end: np.ndarray  # (nv)
    shift: np.ndarray  # (nv)
    z: np.ndarray  # (nv + loops)
    work: np.ndarray  # (nv + loops)
    points: np.ndarray
    #: forces (N) of the points of the span before: how many points, their keys, their rows
    known: np.ndarray
    key: np.ndarray
    force: np.ndarray
    #: spans and sweeps so far, work (J) of all forces but gravity and springs
    effort: np.ndarray  # (3)
    q_start: np.ndarray  # (nq) where the step began
    v_start: np.ndarray  # (nv)
    extra: np.ndarray  # (nv)


@kernel()
def take_steps(
    programs, tree, pattern, carried, arena, surfaces, room, rows, soft, spring, q, v, tau, h, time, count
):
    """Advance q and v by steps of h; how many were taken.

    Fewer are where the machine leaves the finite numbers, or `arena.result` says what collision detection
    could not do; the state is then that after the last step that was taken.
    """
    move, look, free, close = programs
    above, first, last = carried
    spring_entry, spring_frame = spring
    for step in range(count):
        room.q_start[:], room.v_start[:] = q, v
        left, spans, work = h, 0, 0.0
        while left > _NOTHING * h:
            slowest = SLOWEST_IMPACT if spans < MOST_EVENTS else inf
            span, found, used, springs = left, 0, 0, 0
            for _ in range(_ATTEMPTS):
                now = time + h - left
                found = _look_ahead(move, look, free, above, first, arena, room, q, v, tau, span, now)
                if found < 0:
                    q[:], v[:] = room.q_start, room.v_start
                    return step
                held = joint_rows(
                    free.jacobian, free.slowest, free.fastest, free.low, free.high, free.softness,
                    free.velocity, pattern, tree, rows, room.work,
                )  # fmt: skip
                used, springs = lasting_rows(
                    room.points, found, surfaces, last, look.axes, free.velocity, tree, rows, room.work, held,
                    span, slowest, soft,
                )  # fmt: skip
                if used < 0:
                    found = _look_ahead(move, look, free, above, first, arena, room, q, v, tau, 0.0, now)
                    used = impact_rows(
                        room.points, found, surfaces, last, look.axes, v, tree, rows, room.work, 0, slowest
                    )
                    prepare(rows, used, room.z)
                    taken, _ = solve(rows, used, room.z, _SWEEPS, 0.0, _STILL, TOGETHER)
                    room.effort[1] += taken
                    room.end[:] = v
                    spread(tree, room.z, room.work, room.end)
                    work += _work(tree, room.z, room.work, v, room.end)
                    v[:] = room.end
                    continue
                rows.impulse[:held] = 0.0
                _recall(
                    room.points, found, room.known[0], room.key, room.force, rows.impulse, span, soft.settings
                )
                until, taken = impulses(
                    rows, used, soft, springs, spring_entry, spring_frame, room.z, span, _SWEEPS, _STILL
                )
                room.effort[1] += taken
                if until < span * (1.0 - 1e-12):
                    span = max(until, _NOTHING * h)
                    continue
                room.end[:] = free.velocity
                spread(tree, room.z, room.work, room.end)
                twists(above, first, look.axes, room.end, room.twist_end)
                if slowest < inf:
                    begins = _next_beginning(move, look, arena, room, q, v, span, found)
                    if begins < span * (1.0 - 1e-12):
                        span = max(begins, _NOTHING * h)
                        continue
                break
            work += _work(tree, room.z, room.work, v, room.end)
            for k in range(len(v)):
                work += (
                    0.5 * span * (free.push[k] - free.drag[k] * (room.end[k] - v[k])) * (v[k] + room.end[k])
                )
            displacement(
                room.points, found, rows, used, soft, springs, tree, v, free.velocity, room.end,
                room.twist_end, room.z, room.work, span, room.shift,
            )  # fmt: skip
            if springs > 0:
                # what gravity and springs do on the way that is more than that of constant forces
                for k in range(len(v)):
                    room.extra[k] = (free.velocity[k] - v[k]) / span
                momentum(tree, room.extra, room.work)
                for k in range(len(v)):
                    way = 0.5 * span * (v[k] + room.end[k]) - room.shift[k]
                    work += (room.extra[k] - free.push[k]) * way
            room.shift[:] = room.shift - 0.5 * span * v
            _move(move, room.middle, room.shift)
            q[:] = move.position
            v[:] = room.end
            room.known[0] = _remember(
                room.points, found, room.key, room.force, rows.impulse, span, soft.settings
            )
            left -= span
            spans += 1
        if close.entry != 0:
            close.q[:], close.v[:] = q, v
            call(close.entry, close.frame)
            q[:], v[:] = close.position, close.velocity
        if not _sound(v):
            q[:], v[:] = room.q_start, room.v_start
            return step
        room.effort[0] += spans
        room.effort[2] += work
        time += h
    return count


@inner()
def momentum(tree, x, work):
    """M x in place of x."""
    parent, start, L, root = tree.parent, tree.start, tree.L, tree.root
    nv = len(x)
    for k in range(nv):
        total, above, entry = x[k], parent[k], start[k]
        while above >= 0:
            total += L[entry] * x[above]
            above, entry = parent[above], entry + 1
        work[k] = total / (root[k] * root[k])
    x[:] = 0.0
    for k in range(nv):
        x[k] += work[k]
        above, entry = parent[k], start[k]
        while above >= 0:
            x[above] += L[entry] * work[k]
            above, entry = parent[above], entry + 1
    work[:] = 0.0


@inner()
def _sound(v):
    """Whether all speeds are of this world."""
    total = 0.0
    for x in v:
        total += x * x
    return total < FASTEST * FASTEST


@inner()
def _work(tree, z, work, v, end):
    """Work (J) of the impulses behind z while the velocity went from v to `end`: J^T p . (v + end) / 2."""
    parent, start, L, root, total = tree.parent, tree.start, tree.L, tree.root, 0.0
    for k in range(len(v)):
        x = z[k] / root[k]
        total += 0.5 * x * (v[k] + end[k])
        above, entry = parent[k], start[k]
        while above >= 0:
            total += 0.5 * L[entry] * x * (v[above] + end[above])
            above, entry = parent[above], entry + 1
    return total


@inner()
def _move(move, q, step):
    move.q[:] = q
    move.step[:] = step
    call(move.entry, move.frame)


@inner()
def _look_ahead(move, look, free, above, first, arena, room, q, v, tau, span, time):
    """Go to the middle of the span and find the points that may touch in it; how many, or what was wrong."""
    _move(move, q, 0.5 * span * v)
    room.middle[:] = move.position
    look.position[:] = free.position[:] = room.middle
    call(look.entry, look.frame)
    free.v[:], free.tau[:], free.span[0], free.time[0] = v, tau, span, time
    call(free.entry, free.frame)
    twists(above, first, look.axes, v, room.twist)
    twists(above, first, look.axes, free.velocity, room.twist_free)
    _place(look.poses, arena.bodies)
    reach = max(
        fastest(arena.body, arena.radius, arena.X, room.twist),
        fastest(arena.body, arena.radius, arena.X, room.twist_free),
    )
    arena.margin[0] = 1.5 * span * reach + 1e-6
    call(arena.entry, arena.frame)
    found = arena.result[0]
    if found >= 0:
        read_points(
            arena.data, arena.pairs, arena.feature, found, arena.body, arena.material, arena.surface_of,
            room.twist, room.twist_free, span, room.points,
        )  # fmt: skip
    return found


@inner()
def _place(poses, bodies):
    for i in range(1, len(bodies)):
        for j in range(12):
            bodies[i, j] = poses[12 * (i - 1) + j]


@inner()
def _next_beginning(move, look, arena, room, q, v, span, found):
    """When the first of the awaited contacts begins; the span if none does."""
    begins = span
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
            arena.distance_frame[FIRST], arena.distance_frame[FIRST + 1] = point.a, point.b
            begins = min(begins, _meeting(move, look, arena, q, v, room.end, span, early, begins))
    return begins


@inner()
def _meeting(move, look, arena, q, v, end, span, low, high):
    """When the two shapes of the distance frame meet, between two times: the zero of their distance."""
    d_low = _distance(move, look, arena, q, v, end, span, low)
    d_high = _distance(move, look, arena, q, v, end, span, high)
    if d_high > 0.0:
        return high
    if d_low <= 0.0:
        return low
    side = 0
    for _ in range(100):
        t = (low * d_high - high * d_low) / (d_high - d_low)
        if not low < t < high:
            t = 0.5 * (low + high)
        d = _distance(move, look, arena, q, v, end, span, t)
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
def _distance(move, look, arena, q, v, end, span, t):
    """Distance of the two shapes at a time of the span."""
    _move(move, q, t * v + (0.5 * t * t / span) * (end - v))
    look.position[:] = move.position
    call(look.entry, look.frame)
    _place(look.poses, arena.bodies)
    call(arena.distance, arena.distance_frame_address)
    return arena.distance_result[0]


@inner()
def _recall(points, found, known, key, force, impulse, span, settings):
    """Start from the forces that the same points had before, and keep the speeds at which they met."""
    for c in range(found):
        point = points[c]
        if point.row >= 0:
            for k in range(known):
                if key[k, 0] == point.a and key[k, 1] == point.b and key[k, 2] == point.feature:
                    for i in range(point.rows):
                        impulse[point.row + i] = force[k, i] * span
                    if point.spring >= 0 and point.gap < -TOUCHING:
                        settings[4 * point.spring + 2] = force[k, 6]
                    break


@inner()
def _remember(points, found, key, force, impulse, span, settings):
    """Keep the forces of the points, and the speeds at which they met; how many there are."""
    known = 0
    for c in range(found):
        point = points[c]
        if point.row >= 0:
            key[known, 0], key[known, 1], key[known, 2] = point.a, point.b, point.feature
            for i in range(point.rows):
                force[known, i] = impulse[point.row + i] / span
            force[known, 6] = settings[4 * point.spring + 2] if point.spring >= 0 else 0.0
            point.known = known
            known += 1
    return known
