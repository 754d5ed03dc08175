"""Steps of a machine with contact: substeps from one beginning or end of a contact to the next."""

from __future__ import annotations

from math import inf

from treadle.native.c_types import float64, int64
from treadle.native.calling import call, integers
from treadle.native.entries import entry
from treadle.native.kernels import part
from treadle.sim.step.contact_trace import open_trace
from treadle.sim.step.context import read_context
from treadle.sim.step.pair_totals import clear_totals
from treadle.sim.step.program import FASTEST
from treadle.sim.step.shorten import NOTHING
from treadle.sim.step.sleep import fall_asleep, sleeps_through, wake_disturbed
from treadle.sim.step.stabilize import close_loops
from treadle.sim.step.substep import finish_substep
from treadle.sim.step.warm_start import FEWEST_SWEEPS, copy
from treadle.solvers.agreement import agreed, least, total

__all__ = ["advance", "begin_step", "end_step", "take_steps"]

#: Speed (m/s) from which on rigid bodies rebound.
_IMPACT_SPEED = 1e-3

#: Beginnings and ends of contacts in one step: so many, and as many more per body. After these nothing
#: rebounds, and the step ends as a time-stepping step without further cuts.
_EVENTS, _EVENTS_PER_BODY = 60, 2

#: Impacts with a rebound in one step, per body: each of them is motion that a user asked for.
_REBOUNDS_PER_BODY = 400

#: Number of events in one step, times the number of bodies, up to which what does not rebound is stopped
#: where it collides; then the substep stops it: in clutter each takes the more time the less it tells.
_STOPS = 20

#: Events up to which the rest of a step is taken whole after a substep without one, and share of the step
#: that the next substep has at least after one.
_FEW_EVENTS, _NEAR_EVENT = 16, 1.0 / 16.0

#: Substeps for each of these; after them, fast and thin shapes may tunnel.
_SUBSTEPS = 10

#: Sweeps over the rows in one step; after these the step ends without further cuts.
SWEEPS = 1000


@entry(int64(int64, float64, float64, float64, int64), nogil=True)
def take_steps(table, dt, start, before, count):
    """Advance the state of the context with this table by steps of dt (s); how many were taken.

    So many came `before` since the time `start`: the time of a step does not depend on how they are counted.
    Fewer are where the machine diverges, where `detection.result` says what collision detection could not do,
    or where more pairs touched than `scratch.totals` has room for; the state is then that of the last step.
    """
    return advance(read_context(integers(table)), table, dt, start, before, count)


@part()
def advance(context, table, dt, start, before, count):
    """Steps of the context, whose table lies at an address; how many were taken."""
    for step in range(count):
        if sleeps_through(context, dt):
            continue
        time = start + (before + step) * dt
        begin_step(context, time)
        if not end_step(context, table, dt, time):
            return step
    return count


@part()
def begin_step(context, time):
    """Call the controllers, once in a step."""
    control = context.control
    copy(context.tau_given, context.tau, context.nv)
    if control.entry != 0:
        copy(context.q, control.q, context.nq)
        copy(context.v, control.v, context.nv)
        control.time[0] = time
        copy(context.ports.inputs, control.inputs, len(control.inputs))
        call(control.entry, control.frame)
        for k in range(context.nv):
            context.tau[k] += control.force[k]
    wake_disturbed(context)


@part()
def end_step(context, table, dt, time):
    """All of a step that has begun; whether it could be taken. The state stays what it was where not."""
    _open(context, dt)
    if not _step(context, table, time):
        copy(context.scratch.q_start, context.q, context.nq)
        copy(context.scratch.v_start, context.v, context.nv)
        return False
    _drive_actuators(context)
    fall_asleep(context, dt)
    return True


@part()
def _drive_actuators(context):
    """Let the actuators' own state follow the step."""
    drive, now = context.drive, context.now[0]
    if drive.entry == 0:
        return
    copy(context.scratch.q_start, drive.q, context.nq)
    copy(context.v, drive.v, context.nv)
    drive.dt[0] = now.dt
    copy(context.ports.commands, drive.commands, len(drive.commands))
    copy(context.ports.drives, drive.drives, len(drive.drives))
    call(drive.entry, drive.frame)
    copy(drive.next_drives, context.ports.drives, len(drive.drives))
    copy(drive.next_drives, context.flow_ports.drives, len(context.flow_ports.drives))


@part()
def _open(context, dt):
    """Keep the state, and clear what is summed up over a step."""
    scratch, now = context.scratch, context.now[0]
    copy(context.ports.parameters, context.look.parameters, len(context.look.parameters))
    copy(context.q, scratch.q_start, context.nq)
    copy(context.v, scratch.v_start, context.nv)
    clear_totals(scratch.totals)
    for i in range(context.joint_rows):
        scratch.joint_impulse[i] = 0.0
    open_trace(scratch.trace)
    now.dt, now.elapsed, now.sweeps_left = dt, 0.0, SWEEPS


@part()
def _step(context, table, time):
    """One step; whether the machine can have got there."""
    now, scratch = context.now[0], context.scratch
    bodies = context.agreement.bodies
    # how far to look for the next event: with many of them, one is not far from the one before
    left, ahead, events, rebounds, substeps, work = now.dt, now.dt, 0, 0, 0, 0.0
    budget, most_rebounds = _EVENTS + _EVENTS_PER_BODY * bodies, _REBOUNDS_PER_BODY * bodies
    while left > NOTHING * now.dt:
        now.h, now.elapsed = min(left, ahead), now.dt - left
        now.time = time + now.elapsed
        spent = events >= budget or rebounds >= most_rebounds or now.sweeps_left == FEWEST_SWEEPS
        now.uncut = int(spent or now.stepping == 1)
        now.safe = int(substeps >= _SUBSTEPS * (budget + rebounds))
        now.impact_speed = inf if spent else _IMPACT_SPEED
        now.stop_within = now.dt if (events + rebounds + 1) * bodies <= _STOPS else 0.0
        now.touched = int(total(context, float(scratch.known[0])))
        call(context.substep.entry, table)
        if now.h < 0.0:
            return False
        if now.taken == 0:
            finish_substep(context)
        now.sweeps_left = int(least(context, float(now.sweeps_left)))
        work += now.work
        left -= now.h
        ahead = _look_ahead(now, events + rebounds, left)
        rebounds, substeps = rebounds + now.rebound, substeps + 1
        events += now.cut - now.rebound
    scratch.effort[0] += substeps
    close_loops(context)
    scratch.effort[2] += work
    return agreed(context, _finite(context) and scratch.totals.size[0] <= len(scratch.totals.at))


@part()
def _look_ahead(now, events, left):
    """Length (s) of the next substep: all that is left, but less after an event that many others precede."""
    if now.cut == 0:
        return 4.0 * now.h if events > _FEW_EVENTS else left
    return 2.0 * now.h if events > _FEW_EVENTS else max(4.0 * now.h, _NEAR_EVENT * now.dt)


@part()
def _finite(context):
    """Whether all speeds are below the divergence threshold, and all positions are numbers."""
    total = 0.0
    for k in range(context.nv):
        total += context.v[k] * context.v[k]
    for k in range(context.nq):
        # zero, or no number
        total += context.q[k] - context.q[k]
    return total < FASTEST * FASTEST
