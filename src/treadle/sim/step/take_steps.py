"""A step of a machine with contact: spans from one beginning or end of a contact to the next."""

from __future__ import annotations

from math import inf

from treadle.native.calling import call, integers
from treadle.native.kernels import kernel, part
from treadle.sim.step.contact_trace import open_trace
from treadle.sim.step.context import read_context
from treadle.sim.step.pair_totals import clear
from treadle.sim.step.program import FASTEST
from treadle.sim.step.substep import NOTHING, advance
from treadle.sim.step.warm_start import copy

__all__ = ["take_steps"]

#: Speed (m/s) at which rigid bodies have to meet to rebound.
SLOWEST_IMPACT = 1e-3

#: Beginnings and ends of contacts in one step, per body; after these, nothing rebounds until its end.
MOST_EVENTS = 400

#: The same times the number of bodies, up to which those that do not rebound are stopped where they meet, and
#: then by the span: in a heap that takes the more time the less it tells.
MOST_STOPS = 200


@kernel(nogil=True)
def take_steps(table, h, time, count):
    """Advance the state of the context with this table by steps of h (s) from a time; how many were taken.

    Fewer are where the machine leaves the finite numbers, where `detection.result` says what collision detection
    could not do, or where more pairs touched than `scratch.totals` has scratch for; the state is then that after the
    last step that was taken.
    """
    context = read_context(integers(table))
    q, v, nq, nv, scratch, close = (
        context.q,
        context.v,
        context.nq,
        context.nv,
        context.scratch,
        context.close,
    )
    bodies = len(scratch.twist_end) - 1
    most = MOST_EVENTS * bodies
    for step in range(count):
        copy(q, scratch.q_start, nq)
        copy(v, scratch.v_start, nv)
        clear(scratch.totals)
        open_trace(scratch.trace)
        # how far to look for the next event: with many of them, one is not far from the one before
        left, ahead, spans, events, work = h, h, 0, 0, 0.0
        while left > NOTHING * h:
            slowest = SLOWEST_IMPACT if events < most else inf
            stopping = h if (events + 1) * bodies <= MOST_STOPS else 0.0
            span, cut, done = advance(
                context, table, min(left, ahead), time + h - left, slowest, stopping, h, h - left
            )
            if span < 0.0:
                copy(scratch.q_start, q, nq)
                copy(scratch.v_start, v, nv)
                return step
            work += done
            left -= span
            ahead = (2.0 if cut else 4.0) * span
            spans += 1
            events += cut
        if close.entry != 0:
            copy(q, close.q, nq)
            copy(v, close.v, nv)
            call(close.entry, close.frame)
            copy(close.position, q, nq)
            copy(close.velocity, v, nv)
        if not _sound(v, nv) or scratch.totals.size[0] > len(scratch.totals.at):
            copy(scratch.q_start, q, nq)
            copy(scratch.v_start, v, nv)
            return step
        scratch.effort[0] += spans
        scratch.effort[2] += work
        time += h
    return count


@part()
def _sound(v, count):
    """Whether all speeds are of this world."""
    total = 0.0
    for k in range(count):
        total += v[k] * v[k]
    return total < FASTEST * FASTEST
