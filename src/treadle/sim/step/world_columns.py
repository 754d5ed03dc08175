"""Contact steps of many worlds, one after the other in one scratch memory: columns in, columns out.

What a world hands from step to step besides its state is a row of `kept`: forces of joint rows,
accelerations, memories of integrator and wheels, muted pairs, and the points with their keys and forces.
"""

from __future__ import annotations

from typing import NamedTuple

from treadle.native.c_types import int64
from treadle.native.calling import integers, prefetch
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, RealTable, view
from treadle.native.kernels import inner
from treadle.sim.step.advance import advance
from treadle.sim.step.context import read_context
from treadle.sim.step.shape_forces import SHAPE_FORCES

__all__ = ["PER_POINT", "SURFACE_VALUES", "WorldColumns", "take_worlds"]

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


_read_columns = view(WorldColumns)


@entry(int64(*[int64] * 6), nogil=True)
def take_worlds(table, columns, first, begin, end, count):
    """Advance worlds from `begin` up to `end` until each has taken `count` steps of this call.

    Rows of `kept` and `taken` begin with those of the world `first`. Returns the first world whose next step
    could not be taken (see `take_steps`), `end` if there is none.
    """
    context, worlds = read_context(integers(table)), _read_columns(integers(columns))
    for world in range(begin, end):
        if worlds.alive[0, world] < 0.5:
            continue
        kept = worlds.kept[world - first]
        _load(context, worlds, world, kept)
        dt, left = worlds.dt[0, world], count - worlds.taken[world - first]
        _fetch_ahead(worlds.kept, world + 1 - first)
        taken = advance(context, table, dt, worlds.clock[0, world], worlds.clock[1, world], left)
        _store(context, worlds, world, kept)
        if taken > 0 and len(worlds.shape_forces) > 0:
            _report(context, worlds.shape_forces, world, dt)
            for i in range(len(worlds.zone_forces)):
                worlds.zone_forces[i, world] = context.scratch.totals.zones.impulse[i] / dt
        worlds.taken[world - first] += taken
        worlds.clock[1, world] += taken
        worlds.alive[1, world] += taken
        if taken < left:
            return world
    return end


@inner()
def _fetch_ahead(kept, row):
    """Fetch what the next world kept: its row is farther away than hardware foresees."""
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
