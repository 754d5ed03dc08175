"""Warm start: forces from one substep to the next, of joints and of points, matched by feature."""

from __future__ import annotations

from treadle.native.kernels import part
from treadle.sim.step.contact_rows import PRESSED
from treadle.sim.step.row_algebra import joint_impulse

__all__ = [
    "FEWEST_SWEEPS",
    "alike_lengths",
    "clear_accelerations",
    "copy",
    "forget_rate",
    "lasting_time",
    "recall",
    "remember",
]

#: Sweeps of a solve after those of the step are spent: from nothing, since what was left unfinished misleads.
FEWEST_SWEEPS = 30

#: How much longer than the substep before it one may be for forces to last through it.
_GROWTH = 10.0

#: Share by which lengths of substeps that count as alike differ.
_ALIKE = 1e-9


@part()
def recall(context):
    """Start from the forces that the same points had before, and keep the speeds at which they collided."""
    now, scratch, impulse, k = context.now[0], context.scratch, context.rows.impulse, 0
    key, force, known = scratch.key, scratch.force, scratch.known[0]
    # what stopped a motion in a short substep is no force that lasts
    h = lasting_time(context)
    for c in range(now.found):
        point = scratch.points[c]
        if point.row < 0 or point.asleep > 0:
            continue
        # point order usually persists: resume the search at the last match
        for _ in range(known):
            k = k if k < known else 0
            if key[k, 0] == point.a and key[k, 1] == point.b and key[k, 2] == point.feature:
                for i in range(point.rows):
                    impulse[point.row + i] = force[k, i] * h
                if point.spring >= 0 and point.gap < -PRESSED:
                    context.soft.settings[4 * point.spring + 2] = force[k, 6]
                k += 1
                break
            k += 1


@part()
def lasting_time(context):
    """The time (s) for which the forces of the substep before are taken to last."""
    now = context.now[0]
    if now.sweeps_left == FEWEST_SWEEPS:
        return 0.0
    return min(now.h, _GROWTH * context.scratch.last_h[0])


@part()
def remember(context):
    """Keep the forces of joint rows and points, the impact speeds of these, and the acceleration."""
    now, scratch, impulse, known = context.now[0], context.scratch, context.rows.impulse, 0
    key, force, frequency = scratch.key, scratch.force, 1.0 / now.h
    for i in range(context.joint_rows):
        scratch.joint_force[i] = joint_impulse(context, i) * frequency
    for c in range(now.found):
        point = scratch.points[c]
        if point.row >= 0:
            key[known, 0], key[known, 1], key[known, 2] = point.a, point.b, point.feature
            for i in range(point.rows):
                force[known, i] = impulse[point.row + i] * frequency
            force[known, 6] = context.soft.settings[4 * point.spring + 2] if point.spring >= 0 else 0.0
            if point.asleep > 0:
                # to the last digit, however long it sleeps
                for i in range(7):
                    force[known, i] = context.sleep.force[point.asleep - 1, i]
            point.known = known
            known += 1
    scratch.known[0] = known
    # of a step with impacts in it, what other forces accelerate
    after, rate = context.free.velocity if now.stepping == 1 else scratch.end, scratch.rate
    alike = alike_lengths(context)
    if alike:
        for j in range(len(rate) - 1, 0, -1):
            copy(rate[j - 1], rate[j], context.nv)
    for k in range(context.nv):
        rate[0, k] = (after[k] - context.v[k]) * frequency
    if not alike:
        # those of other lengths tell no trend
        for j in range(1, len(rate)):
            copy(rate[0], rate[j], context.nv)
    scratch.last_h[0] = now.h
    for k in range(context.free.wheels * context.free.wheel_size):
        context.free.wheel_memory[k] = context.free.next_wheel_memory[k]
    _forget_flow(context)


@part()
def alike_lengths(context):
    """Whether the substep is as long as the one before it."""
    h = context.now[0].h
    return abs(h - context.scratch.last_h[0]) <= _ALIKE * h


@part()
def forget_rate(context):
    """Let the next substep begin as after an impact: accelerations before it tell nothing."""
    clear_accelerations(context)
    _forget_flow(context)


@part()
def clear_accelerations(context):
    """No accelerations of the last substeps."""
    for j in range(len(context.scratch.rate)):
        for k in range(context.nv):
            context.scratch.rate[j, k] = 0.0


@part()
def _forget_flow(context):
    """Let the integrator begin afresh: what it kept belongs to another motion."""
    for k in range(context.flow.memory_size):
        context.flow.memory[k] = 0.0


@part()
def copy(source, target, count):
    """The first numbers of one array to another."""
    for k in range(count):
        target[k] = source[k]
