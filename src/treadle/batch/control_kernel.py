"""The control step of a task in machine code: actions, commands, steps, resets, observations of many worlds.

Worlds go through all of it in blocks that stay in the cache. What a task computes are compiled programs,
which are called by their addresses; what is seen goes straight into the arrays that a step returns.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from treadle.native.c_types import CPointer, CType, int64, void
from treadle.native.calling import integers, reals
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, Integers, Reals, view
from treadle.native.kernels import inner
from treadle.native.pieces import address, call_of

__all__ = [
    "ACT", "BLOCK", "CHECK", "COUNT", "NEXT_STEP", "ONLY_BEGUN", "SAME_STEP", "SEE", "STEP", "Call",
    "Control", "Order", "Sight", "control",
]  # fmt: skip

#: What a call does: look for actions that are not valid; commands of the actuators from the actions; steps of
#: the simulation; another control step is counted; observation and reward.
CHECK, ACT, STEP, COUNT, SEE = 1, 2, 4, 8, 16

#: Before observations, begin an episode where the last one is over; after them, do so and observe its start;
#: worlds that begin none keep what they remember.
NEXT_STEP, SAME_STEP, ONLY_BEGUN = 32, 64, 128

#: Worlds that go through a control step together: a multiple of all numbers of lanes.
BLOCK = 256

#: Beyond all numbers that are finite.
_LARGEST = np.finfo(np.float64).max

Bytes = Annotated[np.ndarray, CPointer(CType("uint8"))]
Singles = Annotated[np.ndarray, CPointer(CType("float32"))]


class Call(NamedTuple):
    """A compiled program: see `Executable.run`. Without one, `run` is zero."""

    run: int
    arrays: int
    steps: int
    frame: int
    timed: int  # whether it reads the time


class Sight(NamedTuple):
    """Observations (numbers, stride), as float64 or, at the same place, as float32."""

    wide: Reals
    single: Singles


class Control(NamedTuple):
    """Programs and arrays of a task: rows of `stride` columns, a world each."""

    begin: Call
    command: Call
    step: Call
    look: Call
    stride: int
    worlds: int
    actions: int
    choices: int  # of a discrete action; 0 where it is continuous
    sight: int  # numbers of an observation
    remembered: int
    commanded: int  # whether the actions are the commands
    single: int  # whether observations are float32
    delays: int  # longest delay of an action, in control steps
    action: Reals
    chosen_action: Integers  # (worlds) the same where it is discrete
    commands: Reals
    ring: Reals  # (delays + 1, actions, stride) the last actions, where some act late
    delay: Reals
    taken: Reals
    over: Reals  # 1 where an episode begins
    done: Bytes  # whether the episode is over
    done_address: int
    time: Reals
    alive: Reals
    time_base: Reals
    dt: Reals
    before: Reals
    kept: Reals  # (remembered, BLOCK) scratch
    chosen: Integers  # (BLOCK) scratch: worlds that begin an episode
    drawn_from: IntegerList  # addresses of the rows that `begin` reads
    drawn_into: IntegerList  # and of those that it writes; where a world has no column, from one to the next
    strides: IntegerList
    given: IntegerList  # addresses of the same rows of BLOCK columns, which `begin` itself reads and writes
    drawn: IntegerList
    places: Integers  # of observation, "done" and the other outputs among the arrays of `look`
    offsets: IntegerList  # of the other outputs in the memory of a step
    last: Sight  # of episodes that ended
    spare: Sight  # that nobody reads, as the addresses of "done" and of the other outputs after it
    spare_done: int
    spare_rest: int


class Order(NamedTuple):
    """What to do in one call, and the new memory for what comes of it."""

    flags: int
    turn: int  # row of the ring that the actions go into
    seen: Sight
    rest: int  # address of the other outputs


_read_control, _read_order = view(Control), view(Order)
_run_program = call_of(void(*[int64] * 6))


@entry(int64(*[int64] * 4), nogil=True)
def control(table, order, begin, end):
    """The parts of a control step that an order names, for worlds from `begin` up to `end`.

    Returns a positive number if an episode is over; -1 - w, and does nothing, if w has no valid action.
    """
    worlds, out = _read_control(integers(table)), _read_order(integers(order))
    over, flags = 0, out.flags
    if flags & CHECK:
        wrong = _wrong_action(worlds, begin, min(end, worlds.worlds))
        if wrong >= 0:
            return -1 - wrong
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
def _wrong_action(worlds, first, last):
    """The first world whose action is not finite or no choice that there is; -1 if there is none."""
    # loops without an end become vector instructions: the world is looked for where there is one
    wrong = 0
    if worlds.choices > 0:
        for w in range(first, last):
            wrong |= (worlds.chosen_action[w] < 0) | (worlds.chosen_action[w] >= worlds.choices)
        for w in range(first, last if wrong else first):
            if worlds.chosen_action[w] < 0 or worlds.chosen_action[w] >= worlds.choices:
                return w
        return -1
    for k in range(worlds.actions):
        row = k * worlds.stride
        for w in range(first, last):
            wrong |= not abs(worlds.action[row + w]) <= _LARGEST
        for w in range(first, last if wrong else first):
            if not abs(worlds.action[row + w]) <= _LARGEST:
                return w
    return -1


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
    if worlds.choices > 0:
        for w in range(first, last_world):
            worlds.action[w] = float(worlds.chosen_action[w])
    for k in range(worlds.actions):
        row = k * worlds.stride
        if worlds.delays > 0:
            _delay(worlds, first, last_world, turn, k)
        if worlds.commanded != 0:
            for w in range(first, last_world):
                worlds.commands[row + w] = worlds.action[row + w]
    if worlds.command.run != 0:
        _run(worlds, worlds.command, first, last)
    if worlds.delays > 0:
        # rewards are about what was asked for
        asked = turn * worlds.actions * worlds.stride
        for k in range(worlds.actions):
            row = k * worlds.stride
            for w in range(first, last_world):
                worlds.action[row + w] = worlds.ring[asked + row + w]


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
    """Observation, reward and end of the episode, after resets; whether it is over in any world."""
    last_world = min(last, worlds.worlds)
    if flags & COUNT:
        for w in range(first, last_world):
            worlds.taken[w] += 1.0
    begun = 0
    if flags & NEXT_STEP:
        begun = _begin_done(worlds, first, last_world)
    if flags & ONLY_BEGUN:
        begun = _begin_over(worlds, first, last_world)
        _aim(worlds, out.seen.wide, out.rest, worlds.spare_done)
    else:
        _aim(worlds, out.seen.wide, out.rest, worlds.done_address)
    _look(worlds, first, last, flags & ONLY_BEGUN, begun)
    over = 0
    for w in range(first, last_world):
        over |= worlds.done[w]
    if flags & SAME_STEP and over > 0:
        _begin_again(worlds, out, first, last)
    return over


@inner()
def _aim(worlds, seen, rest, done):
    """Let the program that looks at worlds write into this memory."""
    arrays = integers(worlds.look.arrays)
    arrays[worlds.places[0]] = address(seen)
    arrays[worlds.places[1]] = done
    for k in range(len(worlds.offsets)):
        arrays[worlds.places[k + 2]] = rest + worlds.offsets[k]


@inner()
def _begin_done(worlds, first, last):
    """Begin an episode where one is over; in how many worlds."""
    # without a branch for each world, which no processor would foresee
    count = 0
    for w in range(first, last):
        worlds.chosen[count] = w
        count += worlds.done[w]
    for i in range(count):
        worlds.over[worlds.chosen[i]] = 1.0
    _begin(worlds, count)
    return count


@inner()
def _begin_over(worlds, first, last):
    """Begin an episode where one is to begin; in how many worlds."""
    count = 0
    for w in range(first, last):
        worlds.chosen[count] = w
        count += int(worlds.over[w])
    _begin(worlds, count)
    return count


@inner()
def _begin(worlds, count):
    """Begin an episode in the first worlds of those chosen: in lanes, wherever their columns are."""
    if count == 0:
        return
    for k in range(len(worlds.drawn_from)):
        source, target = reals(worlds.drawn_from[k]), reals(worlds.given[k])
        for i in range(count):
            target[i] = source[worlds.chosen[i]]
    program = worlds.begin
    _run_program(program.run, (program.arrays, 0, count, BLOCK, 1, program.frame))
    for k in range(len(worlds.drawn_into)):
        source, target = reals(worlds.drawn[k]), reals(worlds.drawn_into[k])
        for i in range(count):
            target[worlds.strides[k] * worlds.chosen[i]] = source[i]
    if worlds.delays > 0:
        for k in range((worlds.delays + 1) * worlds.actions):
            for i in range(count):
                worlds.ring[k * worlds.stride + worlds.chosen[i]] = 0.0


@inner()
def _look(worlds, first, last, only_begun, begun):
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
    for i in range(begun):
        worlds.over[worlds.chosen[i]] = 0.0


@inner()
def _begin_again(worlds, out, first, last):
    """Begin the next episode of worlds whose episode is over; keep what was seen last."""
    last_world = min(last, worlds.worlds)
    _copy_done(worlds, out.seen, worlds.last, first, last_world)
    begun = _begin_done(worlds, first, last_world)
    _aim(worlds, worlds.spare.wide, worlds.spare_rest, worlds.spare_done)
    _look(worlds, first, last, 1, begun)
    _copy_done(worlds, worlds.spare, out.seen, first, last_world)
    for w in range(first, last_world):
        worlds.done[w] = 0


@inner()
def _copy_done(worlds, source, target, first, last):
    """Observations of worlds whose episode is over."""
    for w in range(first, last):
        if worlds.done[w] != 0:
            for k in range(worlds.sight):
                place = k * worlds.stride + w
                if worlds.single != 0:
                    target.single[place] = source.single[place]
                else:
                    target.wide[place] = source.wide[place]
