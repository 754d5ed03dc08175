"""Impact: rigid bodies that collide at an instant, all together, with restitution."""

from __future__ import annotations

from math import inf

from treadle.native.kernels import part
from treadle.sim.step.contact_rows import move_surface, point_rows
from treadle.sim.step.joint_rows import held_rows, held_work
from treadle.sim.step.pair_totals import add_totals
from treadle.sim.step.points import TOUCHING, twists
from treadle.sim.step.solve import STILL
from treadle.sim.step.warm_start import FEWEST_SWEEPS, copy, forget_rate
from treadle.solvers.agreement import agreed, largest
from treadle.solvers.sequential.solver_abi import find_impact, prepare_rows
from treadle.solvers.sequential.tree import spread

__all__ = ["impact"]

#: Time (s) within which contacts that begin one after the other begin together: corners of a face that is
#: tilted by rounding. Sound takes far longer through bodies.
_TOGETHER = 1e-8


@part()
def impact(context):
    """Change the velocity by the impulses of what collides where the machine is; whether anything does."""
    now, scratch, solver, tree = context.now[0], context.scratch, context.solver, context.tree
    held_rows(context)
    collides = _impact_rows(context)
    if agreed(context, not collides):
        # the middle of the substep tells where they are at its start but for how they turn
        now.apart = 1
        return False
    now.rebound = int(largest(context, float(now.rebound)))
    prepare_rows(solver, now.rows)
    now.sweeps = find_impact(solver, now.rows, now.sweeps_left, STILL)
    now.sweeps_left = max(now.sweeps_left - now.sweeps, FEWEST_SWEEPS)
    scratch.effort[1] += now.sweeps
    copy(context.v, scratch.end, context.nv)
    spread(tree, scratch.z, scratch.work, scratch.end)
    twists(context.body_tree, context.free.axes, scratch.end, scratch.twist_end)
    now.springs = 0
    length, now.h = now.h, 0.0
    now.work += add_totals(context) + held_work(context)
    now.h = length
    copy(scratch.end, context.v, context.nv)
    forget_rate(context)
    now.cut = 1
    return True


@part()
def _impact_rows(context):
    """Rows of all rigid contacts; those that collide fast enough separate with e times their speed."""
    now, rows, met = context.now[0], context.rows, False
    for c in range(now.found):
        point = context.scratch.points[c]
        surface = context.surfaces[point.surface]
        reach = max(TOUCHING, -_TOGETHER * point.speed)
        if point.muted == 0 and point.distance <= reach and surface.stiffness == inf:
            point_rows(context, point, context.free.twist)
            move_surface(context, point, surface)
            speed = rows.velocity[point.row]
            rebounds = speed < -now.impact_speed
            rows.slowest[point.row] = -surface.restitution * speed if rebounds else 0.0
            met = met or rebounds
            if rebounds and surface.restitution > 0.0:
                now.rebound = 1
    return met
