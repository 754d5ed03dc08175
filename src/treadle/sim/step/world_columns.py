"""Contact steps of many worlds in one scratch memory, the first prediction of each step in lanes: columns in
and out.

A group of worlds, one in each lane, begins a step together: one call predicts all of them. They go on one
after the other, each with a context of its own that has the state and the prediction; the rest is shared.

What a world hands from step to step besides its state is a row of `kept`: forces of joint rows,
accelerations, memories of integrator and wheels, muted pairs, and the points with their keys and forces.
"""

from __future__ import annotations

from typing import NamedTuple

from treadle.native.c_types import int64
from treadle.native.calling import call, integers, prefetch
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, Integers, RealList, RealTable, view
from treadle.native.kernels import inner
from treadle.sim.step.advance import begin_step, end_step
from treadle.sim.step.context import read_context
from treadle.sim.step.predict import aim
from treadle.sim.step.shape_forces import SHAPE_FORCES
from treadle.sim.step.warm_start import copy

__all__ = ["PER_POINT", "SURFACE_VALUES", "Lanes", "WorldColumns", "take_worlds"]

#: What worlds may have their own values of, per surface.
SURFACE_VALUES = ("stiffness", "damping", "restitution", "friction", "across")

#: Numbers of a point: two shapes, a feature, and seven of its forces.
PER_POINT = 10

#: Numbers of a row of `kept` that are fetched ahead, those of a cache line, and cache lines.
_LINE, _LINES = 8, 12


class WorldColumns(NamedTuple):
    """The arrays of many worlds, a column each, and what else they hand from step to step, a row each."""

    q: RealTable
    v: RealTable
    tau: RealTable
    dt: RealTable
    clock: RealTable
    alive: RealTable
    loads: RealTable  # no rows where there are none
    inputs: RealTable
    parameters: RealTable
    commands: RealTable
    drives: RealTable
    memory: RealTable
    kept: RealTable
    shape_forces: RealTable  # see `_report`; no rows where nobody reads them
    zone_forces: RealTable  # of the zones of touch sensors (see `touch_zones`), the same
    taken: IntegerList  # steps of this call
    surfaces: RealTable  # SURFACE_VALUES per surface; no rows where all worlds have the same


class Lanes(NamedTuple):
    """Contexts for worlds side by side (see `LaneMemory`)."""

    width: int
    tables: Integers  # (lanes) addresses of the tables of their contexts
    predict: int  # runs the prediction of all lanes, 0: every world has it run
    frames: int  # what it takes
    left: Integers  # (lanes) steps that the world in each has to take
    muted: RealList  # what collision detection reads and writes of the flags that each lane has


_read_columns, _read_lanes = view(WorldColumns), view(Lanes)


@entry(int64(*[int64] * 6), nogil=True)
def take_worlds(side_by_side, columns, first, begin, end, count):
    """Advance worlds from `begin` up to `end` until each has taken `count` steps of this call.

    Rows of `kept` and `taken` begin with those of the world `first`. Returns a world whose next step could
    not be taken (see `take_steps`), `end` if there is none; others of its group may have steps left then.
    """
    lanes, worlds = _read_lanes(integers(side_by_side)), _read_columns(integers(columns))
    for group in range(begin, end, lanes.width):
        size, most, stopped = min(lanes.width, end - group), 0, -1
        for lane in range(size):
            world = group + lane
            row = world - first
            lanes.left[lane] = count - worlds.taken[row] if worlds.alive[0, world] >= 0.5 else 0
            most = max(most, lanes.left[lane])
            if lanes.left[lane] > 0:
                _load(read_context(integers(lanes.tables[lane])), worlds, world, worlds.kept[row])
            _fetch_ahead(worlds.kept, row + lanes.width)
        for step in range(most):
            _begin_steps(lanes, worlds, group, size, step)
            stopped = _end_steps(lanes, worlds, group, size, step, worlds.taken[group - first :])
            if stopped >= 0:
                break
        for lane in range(size):
            if lanes.left[lane] > 0:
                world = group + lane
                _store(read_context(integers(lanes.tables[lane])), worlds, world, worlds.kept[world - first])
        if stopped >= 0:
            return group + stopped
    return end


@inner()
def _begin_steps(lanes, worlds, group, size, step):
    """Begin the next step of the worlds of a group, and predict them together."""
    aimed = 0
    for lane in range(size):
        if lanes.left[lane] > step:
            context, world = read_context(integers(lanes.tables[lane])), group + lane
            dt, time = worlds.dt[0, world], _time(worlds, world)
            begin_step(context, time)
            context.now[0].predicted = int(lanes.predict != 0 and aim(context, dt, time))
            aimed += context.now[0].predicted
    if aimed > 1:
        call(lanes.predict, lanes.frames)
        return
    for lane in range(size):
        # a call for one world takes longer than its own
        read_context(integers(lanes.tables[lane])).now[0].predicted = 0


@inner()
def _end_steps(lanes, worlds, group, size, step, taken):
    """Take the step that they began; the first lane whose world could not, where the others stop, or -1."""
    for lane in range(size):
        if lanes.left[lane] <= step:
            continue
        table, world = lanes.tables[lane], group + lane
        context, dt = read_context(integers(table)), worlds.dt[0, world]
        last = step == lanes.left[lane] - 1
        context.now[0].untold = int(not last or len(worlds.shape_forces) == 0)
        copy(context.scratch.muted, lanes.muted, len(lanes.muted))
        going = end_step(context, table, dt, _time(worlds, world))
        copy(lanes.muted, context.scratch.muted, len(lanes.muted))
        if not going:
            return lane
        taken[lane] += 1
        worlds.clock[1, world] += 1.0
        worlds.alive[1, world] += 1.0
        if context.now[0].untold == 0:
            _report(context, worlds.shape_forces, world, dt)
            for i in range(len(worlds.zone_forces)):
                worlds.zone_forces[i, world] = context.scratch.totals.zones.impulse[i] / dt
    return -1


@inner()
def _time(worlds, world):
    """The time (s) of the next step of a world, however its steps are counted."""
    return worlds.clock[0, world] + worlds.clock[1, world] * worlds.dt[0, world]


@inner()
def _fetch_ahead(kept, row):
    """Fetch what a world of the next group kept: its row is farther away than hardware foresees."""
    for k in range(0, min(kept.shape[1], _LINE * _LINES) if row < len(kept) else 0, _LINE):
        prefetch(kept, row, k)


@inner()
def _load(context, worlds, world, kept):
    """Take over the state of a world."""
    _take(worlds.q, world, context.q, context.nq)
    _take(worlds.v, world, context.v, context.nv)
    _take(worlds.tau, world, context.tau_given, context.nv)
    _load_ports(context.ports, worlds, world)
    _load_ports(context.flow_ports, worlds, world)
    for s in range(len(worlds.surfaces) // 5):
        surface, k = context.surfaces[s], 5 * s
        surface.stiffness, surface.damping = worlds.surfaces[k, world], worlds.surfaces[k + 1, world]
        surface.restitution = worlds.surfaces[k + 2, world]
        surface.friction, surface.across = worlds.surfaces[k + 3, world], worlds.surfaces[k + 4, world]
    scratch = context.scratch
    place = _unpack(kept, 0, scratch.joint_force, context.joint_rows)
    for i in range(len(scratch.rate)):
        place = _unpack(kept, place, scratch.rate[i], context.nv)
    place = _unpack(kept, place, scratch.last_h, 1)
    place = _unpack(kept, place, context.flow.memory, context.flow.memory_size)
    place = _unpack(kept, place, context.free.wheel_memory, context.free.wheel_size)
    place = _unpack(kept, place, scratch.muted, len(scratch.muted))
    scratch.known[0] = int(kept[place])
    place += 1
    for k in range(scratch.known[0]):
        for j in range(3):
            scratch.key[k, j] = int(kept[place + j])
        for j in range(7):
            scratch.force[k, j] = kept[place + 3 + j]
        place += PER_POINT


@inner()
def _load_ports(ports, worlds, world):
    """Take over what programs read of a world besides its state."""
    _take(worlds.loads, world, ports.loads, min(len(ports.loads), len(worlds.loads)))
    _take(worlds.inputs, world, ports.inputs, len(ports.inputs))
    _take(worlds.parameters, world, ports.parameters, len(ports.parameters))
    _take(worlds.commands, world, ports.commands, len(ports.commands))
    _take(worlds.drives, world, ports.drives, len(ports.drives))


@inner()
def _store(context, worlds, world, kept):
    """Hand the state back to its world."""
    _give(context.q, worlds.q, world, context.nq)
    _give(context.v, worlds.v, world, context.nv)
    _give(context.ports.drives, worlds.drives, world, len(context.ports.drives))
    wheels = min(context.free.wheel_size, len(worlds.memory))
    _give(context.free.wheel_memory, worlds.memory, world, wheels)
    scratch = context.scratch
    place = _pack(scratch.joint_force, kept, 0, context.joint_rows)
    for i in range(len(scratch.rate)):
        place = _pack(scratch.rate[i], kept, place, context.nv)
    place = _pack(scratch.last_h, kept, place, 1)
    place = _pack(context.flow.memory, kept, place, context.flow.memory_size)
    place = _pack(context.free.wheel_memory, kept, place, context.free.wheel_size)
    place = _pack(scratch.muted, kept, place, len(scratch.muted))
    kept[place] = scratch.known[0]
    place += 1
    for k in range(scratch.known[0]):
        for j in range(3):
            kept[place + j] = scratch.key[k, j]
        for j in range(7):
            kept[place + 3 + j] = scratch.force[k, j]
        place += PER_POINT


@inner()
def _report(context, forces, world, dt):
    """Per shape: mean force over the last step, its moment about the world's origin, deepest penetration."""
    scratch, totals = context.scratch, context.scratch.totals
    for k in range(len(forces)):
        forces[k, world] = 0.0
    # side by side, as `sim.contacts.sensors` adds them
    for side in range(2):
        sign = 2.0 * side - 1.0
        for i in range(totals.size[0]):
            shape = SHAPE_FORCES * totals.pair[i, side]
            for j in range(6):
                forces[shape + j, world] += sign * (totals.sums[i, j] / dt)
    for c in range(max(context.detection.result[0], 0)):
        point = scratch.points[c]
        if point.row >= 0:
            a, b = SHAPE_FORCES * point.a + 6, SHAPE_FORCES * point.b + 6
            forces[a, world] = max(forces[a, world], -point.end)
            forces[b, world] = max(forces[b, world], -point.end)


@inner()
def _take(columns, world, target, count):
    for k in range(count):
        target[k] = columns[k, world]


@inner()
def _give(source, columns, world, count):
    for k in range(count):
        columns[k, world] = source[k]


@inner()
def _unpack(kept, place, target, count):
    for k in range(count):
        target[k] = kept[place + k]
    return place + count


@inner()
def _pack(source, kept, place, count):
    for k in range(count):
        kept[place + k] = source[k]
    return place + count
