"""A step in pieces, for worlds that are parts of one: each substep is as long in all of them.

`begin_step`, then `find_substep` until all parts agree on a length, then `take_substep`; at last `end_step`
and, where all parts got there, `drive_step`.
"""

from __future__ import annotations

from treadle.native.c_types import float64, int64, void
from treadle.native.calling import integers
from treadle.native.entries import entry
from treadle.sim.step.advance import begin, drive_actuators, finite
from treadle.sim.step.context import read_context
from treadle.sim.step.stabilize import close_loops
from treadle.sim.step.substep import finish_substep
from treadle.sim.step.warm_start import copy

__all__ = ["begin_step", "drive_step", "end_step", "take_substep"]


@entry(void(int64, float64, float64))
def begin_step(table, dt, time):
    """Begin a step of dt (s) at a time."""
    begin(read_context(integers(table)), dt, time)


@entry(void(int64))
def take_substep(table):
    """Take the substep that was found."""
    finish_substep(read_context(integers(table)))


@entry(int64(int64, int64))
def end_step(table, good):
    """End the step; 0 where the machine cannot have got there, or `good` is 0: it is where it began then."""
    context = read_context(integers(table))
    if good == 1:
        close_loops(context)
    totals = context.scratch.totals
    if good == 0 or not finite(context) or totals.size[0] > len(totals.at):
        copy(context.scratch.q_start, context.q, context.nq)
        copy(context.scratch.v_start, context.v, context.nv)
        return 0
    return 1


@entry(void(int64))
def drive_step(table):
    """Let the actuators' own state follow the step that has ended."""
    drive_actuators(read_context(integers(table)))
