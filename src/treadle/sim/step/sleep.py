"""Sleep: islands of free bodies at rest stay where they are until something comes near or acts on them.

An island, the bodies that contact points connect, falls asleep when all of them have been slower than SPEED
for TIME. From then on they have no velocity, the points and forces that they had, and no part in detection
among themselves, in rows and in solves. An island wakes as a whole: when a body that is awake comes within
the margin of one of its bodies, or when position, velocity, joint forces or loads of one are changed.

Free bodies alone sleep, on each other and on what is fixed: islands with a machine, with compliant contact or
with a surface that moves stay awake.
"""

from __future__ import annotations

from math import sqrt
from typing import Annotated, NamedTuple

import numpy as np

from treadle.collision.shapes import Shapes
from treadle.forces.load import LOAD_SIZE
from treadle.model.lone_bodies import lone_bodies
from treadle.model.model import Model
from treadle.native.frames import IntegerList, Integers, RealList, Reals, RealTable, Shaped
from treadle.native.kernels import inner, part
from treadle.sim.step.points import POINT, RIGID
from treadle.sim.step.surface_motion import moves
from treadle.solvers.row_solver.solve import find_root
from treadle.solvers.sequential.rows import SINGLE

__all__ = [
    "SPEED", "TIME", "Sleep", "fall_asleep", "hold_asleep", "lay_resting_rows", "make_sleep", "place_resting",
    "sleeps_through", "wake_disturbed",
]  # fmt: skip

#: Speed (m/s) of the fastest point of a body below which it counts as at rest, and for how long (s).
SPEED, TIME = 1e-5, 0.5

#: Places in `Sleep.state`: bodies asleep; 1: the points of these are to be found again; points that are kept.
_ASLEEP, _STALE, _KEPT = 0, 1, 2


class Sleep(NamedTuple):
    """Who sleeps, and how it lies; bodies by number, the world first. Without sleep all is empty."""

    on: int
    state: Integers  # (3)
    able: IntegerList  # 1: it may sleep
    reach: RealList  # m, of its shapes from its origin
    q_first: IntegerList  # where its position begins
    root: IntegerList  # scratch
    label: RealList  # number of its island, 0: it is awake
    quiet: RealList  # s, for which it has been at rest
    rest_q: Reals  # position, joint forces and loads with which it fell asleep
    rest_tau: Reals
    rest_loads: Reals
    spare: Reals  # see `make_sleep`
    resting: Integers  # as collision detection has it: two that rest are not compared
    points: Annotated[np.ndarray, Shaped(POINT)]
    force: RealTable  # (points, 7)


def make_sleep(on: bool, model: Model, shapes: Shapes, resting: np.ndarray, points: int) -> Sleep:
    """Everyone awake."""
    bodies = len(model.bodies) + 1 if on else 0
    able, reach = np.zeros(bodies, np.int64), np.zeros(bodies)
    q_first = np.array([0, *(body.joint.q.start for body in model.bodies)], np.int64)[:bodies]
    if on:
        able[np.array(lone_bodies(model), dtype=np.int64) + 1] = 1
        arm = shapes.radius + np.linalg.norm(shapes.placement[:, 9:], axis=1)
        np.maximum.at(reach, shapes.body, arm)
    nq, nv = (model.nq, model.nv) if on else (0, 0)
    room, loads = points if on else 0, LOAD_SIZE * max(bodies - 1, 0)
    return Sleep(
        on=int(on),
        state=np.zeros(3, np.int64),
        able=able,
        reach=reach,
        q_first=q_first,
        root=np.zeros(bodies, np.int64),
        label=np.zeros(bodies),
        quiet=np.zeros(bodies),
        rest_q=np.zeros(nq),
        rest_tau=np.zeros(nv),
        rest_loads=np.zeros(loads),
        # saved states tell steps with and without sleep apart by lengths that differ by 5 modulo 10
        spare=np.zeros((5 - 2 * bodies - nq - nv - loads) % 10 if on else 0),
        resting=resting,
        points=np.zeros(room, POINT),
        force=np.zeros((room, 7)),
    )


@part()
def hold_asleep(context):
    """Let no force accelerate those that sleep."""
    sleep, velocity, first = context.sleep, context.free.velocity, context.body_tree.first
    if sleep.on == 0 or sleep.state[_ASLEEP] == 0:
        return
    for i in range(1, len(sleep.label)):
        if sleep.label[i] > 0.0:
            for k in range(first[i], first[i + 1]):
                velocity[k] = 0.0


@part()
def wake_disturbed(context):
    """Wake the islands of bodies that were moved, or that other forces act on than when they fell asleep."""
    sleep = context.sleep
    if sleep.on == 0 or sleep.state[_ASLEEP] == 0:
        return
    for i in range(1, len(sleep.label)):
        if sleep.label[i] > 0.0 and _disturbed(context, i):
            _wake(context, sleep.label[i])


@part()
def sleeps_through(context, dt):
    """Whether everyone sleeps and nothing disturbs it: a step of dt (s) is then the one before."""
    sleep = context.sleep
    if sleep.on == 0 or sleep.state[_ASLEEP] < len(sleep.label) - 1 or sleep.state[_STALE] == 1:
        return False
    if context.control.entry != 0 or context.now[0].dt != dt:
        return False
    for k in range(context.nv):
        context.tau[k] = context.tau_given[k]
    wake_disturbed(context)
    return sleep.state[_ASLEEP] == len(sleep.label) - 1


@inner()
def _disturbed(context, i):
    sleep, first, changed = context.sleep, context.body_tree.first, False
    for k in range(sleep.q_first[i], sleep.q_first[i] + 7):
        changed = changed or context.q[k] != sleep.rest_q[k]
    for k in range(first[i], first[i + 1]):
        changed = changed or context.v[k] != 0.0 or context.tau[k] != sleep.rest_tau[k]
    for k in range(LOAD_SIZE * (i - 1), LOAD_SIZE * i):
        changed = changed or _load(context, k) != sleep.rest_loads[k]
    return changed


@inner()
def _load(context, k):
    """One of the numbers of all loads; a step of bodies without any has none."""
    return context.ports.loads[k] if k < len(context.ports.loads) else 0.0


@inner()
def _wake(context, label):
    """Wake an island: its points are found, and its forces recalled, as those of others."""
    sleep, kept = context.sleep, 0
    for i in range(1, len(sleep.label)):
        if sleep.label[i] == label:
            sleep.label[i], sleep.quiet[i], sleep.resting[i] = 0.0, 0.0, 0
            context.agreement.counted[i] = 1
            sleep.state[_ASLEEP] -= 1
    for c in range(sleep.state[_KEPT]):
        point = sleep.points[c]
        if sleep.label[point.body_a] + sleep.label[point.body_b] > 0.0:
            _move(sleep, c, kept)
            kept += 1
    sleep.state[_KEPT] = kept


@inner()
def _move(sleep, c, to):
    """A kept point and its forces to another place."""
    if c == to:
        return
    sleep.points[to] = sleep.points[c]
    sleep.points[to].asleep = to + 1
    for j in range(7):
        sleep.force[to, j] = sleep.force[c, j]


@part()
def place_resting(context):
    """Leave out the points between those that sleep, and put those that they had behind the others.

    Sets `now.woke` where something came near: the substep is to begin again.
    """
    now, sleep, points = context.now[0], context.sleep, context.scratch.points
    now.woke = 0
    if sleep.on == 0 or sleep.state[_ASLEEP] == 0 or now.found < 0:
        return
    if sleep.state[_STALE] == 1:
        _collect(context)
    for c in range(now.found):
        a, b = sleep.label[points[c].body_a], sleep.label[points[c].body_b]
        if max(a, b) > 0.0:
            _wake(context, max(a, b))
            now.woke = 1
    if now.found + sleep.state[_KEPT] > len(points):
        # no room: that of all points awake is made where there are too many
        for i in range(1, len(sleep.label)):
            if sleep.label[i] > 0.0:
                _wake(context, sleep.label[i])
        now.woke = 1
    if now.woke == 1:
        return
    for c in range(sleep.state[_KEPT]):
        points[now.found + c] = sleep.points[c]
    now.found += sleep.state[_KEPT]
    context.detection.result[0] = now.found


@inner()
def _collect(context):
    """Keep the points that carry forces between those that sleep, found once more where they lie now."""
    now, sleep, scratch, left, k = context.now[0], context.sleep, context.scratch, 0, 0
    points, key, known = scratch.points, scratch.key, scratch.known[0]
    sleep.state[_KEPT], sleep.state[_STALE] = 0, 0
    for c in range(now.found):
        point = points[c]
        a, b = sleep.label[point.body_a], sleep.label[point.body_b]
        awake = (a == 0.0 and point.body_a > 0) or (b == 0.0 and point.body_b > 0)
        if awake or max(a, b) == 0.0:
            if left < c:
                points[left] = points[c]
            left += 1
            continue
        for _ in range(known):
            k = k if k < known else 0
            if key[k, 0] == point.a and key[k, 1] == point.b and key[k, 2] == point.feature:
                _keep(context, c, k)
                k += 1
                break
            k += 1
    now.found = left
    sleep.resting[0] = 1
    for i in range(1, len(sleep.label)):
        sleep.resting[i] = int(sleep.label[i] > 0.0)


@inner()
def _keep(context, c, k):
    """Keep a point with the forces of the k-th known one."""
    sleep, force = context.sleep, context.scratch.force
    if force[k, 0] == 0.0:
        return
    place = sleep.state[_KEPT]
    sleep.points[place] = context.scratch.points[c]
    point = sleep.points[place]
    surface = context.surfaces[point.surface]
    point.asleep, point.muted, point.rows = place + 1, 1, 1
    if max(surface.friction, surface.across) > 0.0:
        point.rows += 2
    if surface.rolling > 0.0:
        point.rows += 2
    if surface.spinning > 0.0:
        point.rows += 1
    for j in range(7):
        sleep.force[place, j] = force[k, j]
    sleep.state[_KEPT] = place + 1


@part()
def lay_resting_rows(context, point):
    """Rows of a point between those that sleep: they move nothing, and have the impulses of its forces."""
    now, rows, first = context.now[0], context.rows, context.now[0].rows
    for j in range(point.rows):
        i = first + j
        rows.loops[i] = rows.first[i + 1] = rows.first[i]
        rows.kind[i], rows.normal[i], rows.share[i], rows.error[i] = SINGLE, -1, 0.0, 0.0
        rows.slowest[i], rows.fastest[i], rows.velocity[i] = 0.0, 0.0, 0.0
        rows.impulse[i] = context.sleep.force[point.asleep - 1, j] * now.h
        rows.low[i] = rows.high[i] = rows.impulse[i]
        rows.softness[i], rows.closes[i] = 0.0, 0
    point.row = first
    now.rows = first + point.rows


@part()
def fall_asleep(context, dt):
    """After a step of dt (s): put the islands to sleep that have been at rest for long enough."""
    sleep = context.sleep
    if sleep.on == 0 or not _quiet_bodies(context, dt):
        return
    _join(context)
    root, label, first, fell = sleep.root, sleep.label, context.body_tree.first, False
    # an island with a body that may not sleep, or not yet, is marked at its root
    for i in range(1, len(label)):
        if label[i] == 0.0 and (sleep.able[i] == 0 or sleep.quiet[i] < TIME):
            sleep.root[find_root(root, i)] = 0
    for i in range(1, len(label)):
        if label[i] > 0.0 or find_root(root, i) == 0:
            continue
        label[i], context.agreement.counted[i], fell = float(find_root(root, i)), 0, True
        sleep.state[_ASLEEP] += 1
        for k in range(first[i], first[i + 1]):
            context.v[k], sleep.rest_tau[k] = 0.0, context.tau[k]
            for j in range(len(context.scratch.rate)):
                context.scratch.rate[j, k] = 0.0
        for k in range(sleep.q_first[i], sleep.q_first[i] + 7):
            sleep.rest_q[k] = context.q[k]
        for k in range(LOAD_SIZE * (i - 1), LOAD_SIZE * i):
            sleep.rest_loads[k] = _load(context, k)
    if fell:
        sleep.state[_STALE] = 1
        for i in range(len(label)):
            sleep.resting[i] = 0


@inner()
def _quiet_bodies(context, dt):
    """For how long bodies have been at rest; whether one of those that are awake has been for long enough."""
    sleep, first, v, ready = context.sleep, context.body_tree.first, context.v, False
    for i in range(1, len(sleep.label)):
        if sleep.label[i] > 0.0 or sleep.able[i] == 0:
            continue
        k = first[i]
        turning = sqrt(v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2])
        moving = sqrt(v[k + 3] * v[k + 3] + v[k + 4] * v[k + 4] + v[k + 5] * v[k + 5])
        rests = moving + turning * sleep.reach[i] < SPEED
        sleep.quiet[i] = sleep.quiet[i] + dt if rests else 0.0
        ready = ready or sleep.quiet[i] >= TIME
    return ready


@inner()
def _join(context):
    """Islands of bodies by the points of the last substep; 0 is the root of those that stay awake."""
    points, root = context.scratch.points, context.sleep.root
    for i in range(len(root)):
        root[i] = i
    for c in range(context.now[0].found):
        point = points[c]
        a, b = point.body_a, point.body_b
        if point.asleep > 0:
            continue
        if point.spring != RIGID or moves(context.detection, point):
            # of the island that stays awake
            root[find_root(root, max(a, b))] = 0
            if min(a, b) > 0:
                root[find_root(root, min(a, b))] = 0
        elif a > 0 and b > 0:
            a, b = find_root(root, a), find_root(root, b)
            root[max(a, b)] = min(a, b)
