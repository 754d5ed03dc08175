"""Integrate: the displacement over a substep, and the position and velocity at its end."""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import part
from treadle.sim.step.points import rate
from treadle.sim.step.row_algebra import push, zero
from treadle.sim.step.stabilize import push_out
from treadle.sim.step.warm_start import copy
from treadle.solvers.sequential.solver_abi import answer
from treadle.solvers.sequential.tree import spread

__all__ = ["displacement", "integrate"]


@part()
def displacement(context):
    """The displacement over the substep, in `scratch.shift`: by the mean velocity, and what springs add."""
    now, scratch, rows, soft, v = context.now[0], context.scratch, context.rows, context.soft, context.v
    for k in range(context.nv):
        scratch.shift[k] = 0.0
    if now.joint > 0:
        # a compliant contact moves the machine by Q, where a constant force would by h P / 2
        z = rows.z_kept
        zero(rows, z)
        for i in range(now.springs):
            r = soft.row[i]
            push(rows, r, soft.Q[i] - 0.5 * now.h * rows.impulse[r], z)
        if now.sticking > 0:
            answer(context.solver, now.sticking)
        spread(context.tree, z, scratch.work, scratch.shift)
        _withstand(context)
    for k in range(context.nv):
        scratch.shift[k] += 0.5 * now.h * (v[k] + scratch.end[k])
    _end_distances(context)
    push_out(context)


@part()
def _withstand(context):
    """Leave of `scratch.shift` the share of inertia: springs and dampers follow a force that varies.

    They act at the mean or the end of the substep, as if it had the mean force all along.
    """
    tree, free, scratch = context.tree, context.free, context.scratch
    for k in range(context.nv):
        scratch.shift[k] *= max(1.0 - free.held[k] * tree.root[k] * tree.root[k], 0.0)


@part()
def _end_distances(context):
    """Distances of the points at the end of the substep."""
    now, scratch, spring = context.now[0], context.scratch, 0
    for c in range(now.found):
        point = scratch.points[c]
        if point.row < 0:
            continue
        if spring < now.springs and context.soft.row[spring] == point.row:
            point.end = -context.soft.delta[spring]
            spring += 1
        else:
            point.end = point.distance + 0.5 * now.h * rate(scratch.twist_end, point) + point.bow


@part()
def integrate(context):
    """Go from the middle of the substep to its end."""
    now, move, scratch, v = context.now[0], context.move, context.scratch, context.v
    copy(context.free.position, move.q, context.nq)
    for k in range(context.nv):
        move.step[k] = scratch.shift[k] - 0.5 * now.h * v[k]
    call(move.entry, move.frame)
    copy(move.position, context.q, context.nq)
    copy(scratch.end, v, context.nv)
