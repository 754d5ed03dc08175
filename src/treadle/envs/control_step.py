"""Control steps of a task's worlds, in one call of machine code where a step of the simulation is a program.

Addresses and scratch memory are made once; a control step allocates the arrays that it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import addressof, c_char
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from treadle.batch import Batch
from treadle.batch.control_kernel import (
    ACT,
    BLOCK,
    COUNT,
    NEXT_STEP,
    ONLY_BEGUN,
    SAME_STEP,
    SEE,
    STEP,
    Call,
    Control,
    Order,
    control,
)
from treadle.batch.world_functions import CompiledFunction
from treadle.envs.programs import TaskPrograms
from treadle.native.executable import Executable, Runner
from treadle.native.frames import table

__all__ = ["ControlStep", "Outlook"]

#: When the next episode of a world begins by itself, by the value of Gymnasium's mode.
_RENEWALS = {"NextStep": NEXT_STEP, "SameStep": SAME_STEP, "Disabled": 0}

_NO_CALL = Call(run=0, arrays=0, steps=0, frame=0, timed=0)

_FLAGS, _TURN, _WIDE, _NARROW = (Order._fields.index(name) for name in ("flags", "turn", "wide", "narrow"))
_REST = "reward", "parts", "terminated", "truncated"


class Outlook(NamedTuple):
    """What a control step gave, (worlds, ...): new arrays."""

    observation: np.ndarray
    reward: np.ndarray
    #: (terms, worlds) of the reward
    terms: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class ControlStep:
    """Runs the programs of a task on the worlds of a batch; `given` are their further arrays.

    `renewal` says when the next episode of a world begins by itself: in the step after the last one of an
    episode ("NextStep"), in that one ("SameStep"), or not at all ("Disabled"). `longest` is the number of
    control steps after which episodes are truncated.
    """

    def __init__(
        self,
        batch: Batch,
        programs: TaskPrograms,
        given: dict[str, np.ndarray],
        longest: int,
        renewal: str,
    ) -> None:
        task, count = programs.task, batch.worlds
        self._batch, self._programs, self._given = batch, programs, given
        self._functions, self._workers = batch.functions, batch.functions.workers
        self._arrays = given | {f"next_{name}": array for name, array in given.items()}
        self._longest, self._renewal = longest, _RENEWALS[renewal]
        #: (worlds, actions) of the next control step
        self.asked = np.zeros((count, task.action_size))
        #: (worlds) whether the episode is over, and in how many it is
        self.done, self.over = np.zeros(count, bool), 0
        #: (numbers, worlds) last observations of episodes that ended in a step with "SameStep"
        self.last = np.zeros((programs.observation_size, count))
        delays = programs.randomization.action_delay[1]
        #: the last actions, where some act late
        self._ring, self._turns, self._turn = np.zeros((delays + 1, *given["action"].shape)), delays + 1, 0
        # observations have memory of their own: whoever keeps rewards does not keep them
        self._sight = (programs.observation_size, count), np.dtype(task.dtype)
        terms = "f8", (len(programs.terms), count)
        kinds = ("f8", count), terms, ("?", count), ("?", count)
        self._rest = np.dtype([(name, *kind) for name, kind in zip(_REST, kinds, strict=True)])
        fields = self._rest.fields or {}
        self._places = [(Order._fields.index(name), fields[name][1]) for name in _REST]
        self._order = np.zeros(len(Order._fields), np.int64)
        #: what the calls were made for, the calls (one per share of the worlds), and what they hold on to
        self._made_for: tuple[Any, ...] = ()
        self._calls: list[Callable[[int, int], int]] = []
        self._memory: list[Any] = []
        #: slots of all programs but that of a step
        self._slots = 0

    def step(self) -> Outlook:
        """A control step with the actions in `asked`; where an episode begins, the reward is zero."""
        batch, steps = self._batch, self._programs.task.steps
        self._turn = (self._turn + 1) % self._turns
        program = self._prepare()
        if program is not None:
            batch.steps += steps
            flags = ACT | STEP | COUNT | SEE | self._renewal
            return self._see(flags, self._slots + steps * program.layout.slots)
        ended = self.done.nonzero()[0] if self.over and self._renewal == NEXT_STEP else np.zeros(0, int)
        self._run(ACT, self._slots)
        batch.step(steps)
        seen = self._see(COUNT | SEE | self._renewal, self._slots)
        if self.over and self._renewal == SAME_STEP:
            ended = (seen.terminated | seen.truncated).nonzero()[0]
        if len(ended):
            batch.forget(ended)
        return seen

    def begin(self, chosen: np.ndarray) -> Outlook:
        """Begin another episode in worlds, by number; the others stay as they are."""
        self._prepare()
        self._given["over"][0, chosen] = 1.0
        self.done[chosen] = False
        seen = self._see(SEE | ONLY_BEGUN, self._slots)
        self.over = int(self.done.sum())
        self._batch.forget(chosen)
        return seen

    def look(self) -> Outlook:
        """What worlds are like now; the next step is measured from here."""
        self._prepare()
        return self._see(SEE, self._slots)

    def _see(self, flags: int, slots: int) -> Outlook:
        """Run into new arrays."""
        observation, rest = np.empty(*self._sight), np.empty((), self._rest)
        order, start = self._order, _address(rest)
        order[_WIDE] = order[_NARROW] = _address(observation)
        for place, offset in self._places:
            order[place] = start + offset
        self.over = self._run(flags, slots)
        return Outlook(observation.T, rest["reward"], rest["parts"], rest["terminated"], rest["truncated"])

    def _run(self, flags: int, slots: int) -> int:
        self._order[_FLAGS], self._order[_TURN] = flags, self._turn
        return self._workers.spread(self._calls, slots)

    def _prepare(self) -> Executable | None:
        """Make the calls again where programs changed; the program of a step, if it is one."""
        program, world = self._functions.step_program(), self._batch.world
        made_for, loads = self._made_for, world.arrays.get("loads")
        if not (
            made_for
            and program is made_for[0]
            and loads is made_for[1]
            and world.controllers is made_for[2]
            and world.inputs is made_for[3]
        ):
            self._make(program)
            self._made_for = program, loads, world.controllers, world.inputs
        return program

    def _make(self, step: Executable | None) -> None:
        functions, programs = self._batch.functions, self._programs
        found = {
            "begin": functions.compiled("begin", programs.begin, self._arrays, lanes=1),
            "look": functions.compiled("look", programs.look, self._arrays),
        }
        if programs.commands:
            found["command"] = functions.compiled("command", programs.command, self._arrays)
        self._slots = sum(each.code.layout.slots for each in found.values())
        self._memory, self._calls = [self._order], []
        for _ in range(functions.workers.shares):
            calls = {
                name: self._call(each.code.runner(each.arrays), 1, each.timed) for name, each in found.items()
            }
            if step is not None:
                calls["step"] = self._call(step.runner(self._batch.arrays), programs.task.steps, False)
            record = self._record(calls, found["look"])
            address = table(record)
            self._memory += [record, address]
            self._calls.append(partial(control.pointer, address.ctypes.data, self._order.ctypes.data))

    def _call(self, runner: Runner, steps: int, timed: bool) -> Call:
        self._memory.append(runner)
        run, arrays, frame = runner.addresses
        return Call(run=run, arrays=arrays, steps=steps, frame=frame, timed=int(timed))

    def _record(self, calls: dict[str, Call], look: CompiledFunction) -> Control:
        batch, programs, given, outputs = self._batch, self._programs, self._given, look.outputs
        drawn = [batch.parameter(name) for name in programs.randomization.parameters]
        return Control(
            begin=calls["begin"],
            command=calls.get("command", _NO_CALL),
            step=calls.get("step", _NO_CALL),
            look=calls["look"],
            stride=given["over"].shape[1],
            worlds=batch.worlds,
            longest=self._longest,
            actions=programs.task.action_size,
            sight=programs.observation_size,
            remembered=len(given["before"]),
            terms=len(programs.terms),
            commanded=int(programs.task.command is None),
            narrow=int(programs.task.dtype == "float32"),
            delays=self._turns - 1,
            asked=self.asked,
            action=given["action"],
            commands=batch.arrays["commands"],
            ring=self._ring,
            delay=given["delay"],
            taken=given["taken"],
            over=given["over"],
            done=self.done,
            time=batch.functions.time,
            alive=batch.arrays["alive"],
            time_base=batch.arrays["time_base"],
            dt=batch.arrays["dt"],
            before=given["before"],
            kept=np.zeros((len(given["before"]), BLOCK)),
            values=given["values"],
            targets=np.array([values.ctypes.data for values in drawn], np.int64),
            strides=np.array([values.strides[0] // values.itemsize for values in drawn], np.int64),
            seen=outputs["observation"],
            reward=outputs["reward"],
            parts=outputs["terms"],
            terminated=outputs["terminated"],
            last=self.last,
        )


def _address(memory: Any) -> int:
    """Of an array: a fifth of the time that its own attribute takes."""
    return addressof(c_char.from_buffer(memory))
