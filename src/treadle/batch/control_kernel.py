"""The control step of a task in machine code: actions, commands, steps, resets, observations of many worlds.

Worlds go through all of it in blocks that stay in the cache. What a task computes are compiled programs,
which are called by their addresses.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from treadle.native.c_types import CPointer, CType, int64, void
from treadle.native.calling import integers, reals
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, Reals, view
from treadle.native.kernels import inner
from treadle.native.pieces import call_of

__all__ = [
    "ACT", "BLOCK", "COUNT", "NEXT_STEP", "ONLY_BEGUN", "SAME_STEP", "SEE", "STEP", "Call", "Control",
    "Order", "control",
]  # fmt: skip

#: What a call does: commands of the actuators from the actions; steps of the simulation; another control step
#: is counted; observation and reward.
ACT, STEP, COUNT, SEE = 1, 2, 4, 8

#: Before observations, begin an episode where the last one is over; after them, do so and observe its start;
#: worlds that begin none keep what they remember.
NEXT_STEP, SAME_STEP, ONLY_BEGUN = 16, 32, 64

#: Worlds that go through a control step together: a multiple of all numbers of lanes.
BLOCK = 256

Bytes = Annotated[np.ndarray, CPointer(CType("uint8"))]
Singles = Annotated[np.ndarray, CPointer(CType("float32"))]


class Call(NamedTuple):
    """A compiled program: see `Executable.run`. Without one, `run` is zero."""

    run: int
    arrays: int
    steps: int
    frame: int
    timed: int  # whether it reads the time


class Control(NamedTuple):
    """Programs and arrays of a task: rows of `stride` columns, a world each, unless it says (..., worlds)."""

    begin: Call
    command: Call
    step: Call
    look: Call
    stride: int
    worlds: int
    longest: int  # control steps of an episode
    actions: int
    sight: int  # numbers of an observation
    remembered: int
    terms: int
    commanded: int  # whether the actions are the commands
    narrow: int  # whether observations are float32
    delays: int  # longest delay of an action, in control steps
    asked: Reals  # (worlds, actions) of this control step
    action: Reals
    commands: Reals
    ring: Reals  # (delays + 1, actions, stride) the last actions, where some act late
    delay: Reals
    taken: Reals
    over: Reals  # 1 where an episode is to begin
    done: Bytes  # (worlds) whether the episode is over
    time: Reals
    alive: Reals
    time_base: Reals
    dt: Reals
    before: Reals
    kept: Reals  # (remembered, BLOCK) scratch
    values: (
        Reals  # of drawn parameters, and where they go: the address of the first, and the step to the next
    )
    targets: IntegerList
    strides: IntegerList
    seen: Reals
    reward: Reals
    parts: Reals  # terms of the reward
    terminated: Reals
    last: Reals  # (sight, worlds) last observations of episodes that ended


class Order(NamedTuple):
    """What to do in one call, and the new arrays (..., worlds) for what comes of it."""

    flags: int
    turn: int  # row of the ring that the actions go into
    wide: Reals  # observations as float64 or, at the same place, as float32
    narrow: Singles
    reward: Reals
    parts: Reals
    terminated: Bytes
    truncated: Bytes


_read_control, _read_order = view(Control), view(Order)
_run_program = call_of(void(*[int64] * 6))


@entry(int64(*[int64] * 4), nogil=True)
def control(table, order, begin, end):
    """The parts of a control step that an order names, for worlds from `begin` up to `end`.

    Returns in how many worlds the episode is over.
    """
    worlds, out = _read_control(integers(table)), _read_order(integers(order))
    over, flags = 0, out.flags
    for first in range(begin, end, BLOCK):
        last = min(first + BLOCK, end)
        if flags & ACT:
            _act(worlds, first, last, out.turn)
        if flags & STEP:
            _run(worlds, worlds.step, first, last)
        if flags & SEE:
            over += _see(worlds, out, first, last, flags)
    return over


@inner()
def _run(worlds, program, first, last):
    """A program on a block of worlds, at their present times."""
    if program.timed != 0:
        for w in range(first, last):
            steps = worlds.alive[worlds.stride + w] - worlds.time_base[worlds.stride + w]
            worlds.time[w] = steps * worlds.dt[w] + worlds.time_base[w]
    _run_program(program.run, (program.arrays, first, last, worlds.stride, program.steps, program.frame))


@inner()
def _act(worlds, first, last, turn):
    """Actions, late where they are, and the commands that follow from them."""
    last_world = min(last, worlds.worlds)
    for k in range(worlds.actions):
        row = k * worlds.stride
        for w in range(first, last_world):
            worlds.action[row + w] = worlds.asked[w * worlds.actions + k]
        if worlds.delays > 0:
            _delay(worlds, first, last_world, turn, k)
        if worlds.commanded != 0:
            for w in range(first, last_world):
                worlds.commands[row + w] = worlds.action[row + w]
    if worlds.command.run != 0:
        _run(worlds, worlds.command, first, last)
    if worlds.delays > 0:
        # rewards are about what was asked for
        for k in range(worlds.actions):
            for w in range(first, last_world):
                worlds.action[k * worlds.stride + w] = worlds.asked[w * worlds.actions + k]


@inner()
def _delay(worlds, first, last, turn, k):
    """Let worlds act as they were asked some control steps ago."""
    size = worlds.delays + 1
    for w in range(first, last):
        place = k * worlds.stride + w
        worlds.ring[turn * worlds.actions * worlds.stride + place] = worlds.action[place]
        slot = (turn + size - int(worlds.delay[w])) % size
        worlds.action[place] = worlds.ring[slot * worlds.actions * worlds.stride + place]


@inner()
def _see(worlds, out, first, last, flags):
    """Observation, reward and end of the episode, after resets; in how many worlds it is over."""
    last_world = min(last, worlds.worlds)
    if flags & COUNT:
        for w in range(first, last_world):
            worlds.taken[w] += 1.0
    if flags & NEXT_STEP:
        for w in range(first, last_world):
            worlds.over[w] = float(worlds.done[w])
    _begin(worlds, first, last_world)
    _look(worlds, first, last, flags & ONLY_BEGUN)
    # loops that do one thing each become vector instructions
    for w in range(first, last_world):
        worlds.over[w] = 0.0
    for w in range(first, last_world):
        out.reward[w] = worlds.reward[w]
    for w in range(first, last_world):
        out.terminated[w] = worlds.terminated[w] > 0.5
    longest = float(worlds.longest)
    for w in range(first, last_world):
        out.truncated[w] = worlds.taken[w] >= longest
    if flags & ONLY_BEGUN == 0:
        for w in range(first, last_world):
            worlds.done[w] = out.terminated[w] | out.truncated[w]
    over = 0
    for w in range(first, last_world):
        over += worlds.done[w]
    for k in range(worlds.terms):
        for w in range(first, last_world):
            out.parts[k * worlds.worlds + w] = worlds.parts[k * worlds.stride + w]
    for k in range(worlds.sight):
        to, source = k * worlds.worlds, k * worlds.stride
        if worlds.narrow != 0:
            for w in range(first, last_world):
                out.narrow[to + w] = worlds.seen[source + w]
        else:
            for w in range(first, last_world):
                out.wide[to + w] = worlds.seen[source + w]
    if flags & SAME_STEP and over > 0:
        _begin_again(worlds, out, first, last)
    return over


@inner()
def _begin(worlds, first, last):
    """Begin an episode where one is over, world by world: they are few."""
    for w in range(first, last):
        if worlds.over[w] > 0.5:
            _run(worlds, worlds.begin, w, w + 1)
            for k in range(len(worlds.targets)):
                reals(worlds.targets[k])[worlds.strides[k] * w] = worlds.values[k * worlds.stride + w]
            if worlds.delays > 0:
                for k in range((worlds.delays + 1) * worlds.actions):
                    worlds.ring[k * worlds.stride + w] = 0.0


@inner()
def _look(worlds, first, last, only_begun):
    """What worlds are like now; where no episode begins, they may keep what they remember."""
    if only_begun:
        for k in range(worlds.remembered):
            for w in range(first, last):
                worlds.kept[k * BLOCK + w - first] = worlds.before[k * worlds.stride + w]
    _run(worlds, worlds.look, first, last)
    if only_begun:
        for k in range(worlds.remembered):
            for w in range(first, last):
                if worlds.over[w] < 0.5:
                    worlds.before[k * worlds.stride + w] = worlds.kept[k * BLOCK + w - first]


@inner()
def _begin_again(worlds, out, first, last):
    """Begin the next episode of worlds whose episode is over; keep what was seen last."""
    last_world = min(last, worlds.worlds)
    for w in range(first, last_world):
        worlds.over[w] = float(worlds.done[w])
        if worlds.done[w] != 0:
            for k in range(worlds.sight):
                worlds.last[k * worlds.worlds + w] = worlds.seen[k * worlds.stride + w]
    _begin(worlds, first, last_world)
    _look(worlds, first, last, 1)
    for w in range(first, last_world):
        if worlds.done[w] != 0:
            for k in range(worlds.sight):
                if worlds.narrow != 0:
                    out.narrow[k * worlds.worlds + w] = worlds.seen[k * worlds.stride + w]
                else:
                    out.wide[k * worlds.worlds + w] = worlds.seen[k * worlds.stride + w]
        worlds.over[w] = 0.0
        worlds.done[w] = 0
