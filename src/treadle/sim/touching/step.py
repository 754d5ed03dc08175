"""A step of a machine with contact: spans from one beginning or end of a contact to the next."""

from __future__ import annotations

from math import inf

from treadle.native.calling import call, integers
from treadle.native.kernels import kernel, part
from treadle.sim.step import FASTEST
from treadle.sim.touching.diary import open_diary
from treadle.sim.touching.memory import copy
from treadle.sim.touching.span import NOTHING, advance
from treadle.sim.touching.stage import read_stage
from treadle.sim.touching.tally import clear

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
    """Advance the state of the stage with this table by steps of h (s) from a time; how many were taken.

    Fewer are where the machine leaves the finite numbers, where `arena.result` says what collision detection
    could not do, or where more pairs touched than `room.tally` has room for; the state is then that after the
    last step that was taken.
    """
    stage = read_stage(integers(table))
    q, v, nq, nv, room, close = stage.q, stage.v, stage.nq, stage.nv, stage.room, stage.close
    bodies = len(room.twist_end) - 1
    most = MOST_EVENTS * bodies
    for step in range(count):
        copy(q, room.q_start, nq)
        copy(v, room.v_start, nv)
        clear(room.tally)
        open_diary(room.diary)
        # how far to look for the next event: with many of them, one is not far from the one before
        left, ahead, spans, events, work = h, h, 0, 0, 0.0
        while left > NOTHING * h:
            slowest = SLOWEST_IMPACT if events < most else inf
            stopping = h if (events + 1) * bodies <= MOST_STOPS else 0.0
            span, cut, done = advance(
                stage, table, min(left, ahead), time + h - left, slowest, stopping, h, h - left
            )
            if span < 0.0:
                copy(room.q_start, q, nq)
                copy(room.v_start, v, nv)
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
        if not _sound(v, nv) or room.tally.size[0] > len(room.tally.at):
            copy(room.q_start, q, nq)
            copy(room.v_start, v, nv)
            return step
        room.effort[0] += spans
        room.effort[2] += work
        time += h
    return count


@part()
def _sound(v, count):
    """Whether all speeds are of this world."""
    total = 0.0
    for k in range(count):
        total += v[k] * v[k]
    return total < FASTEST * FASTEST
