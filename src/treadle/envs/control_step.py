"""Control steps of a task's worlds, in one call of machine code where a step of the simulation is a program.

Addresses and scratch memory are made once; a control step allocates the arrays that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import PYFUNCTYPE, addressof, c_int64
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from treadle.batch import Batch
from treadle.batch.control_kernel import (
    ACT,
    BLOCK,
    CHECK,
    COUNT,
    NEXT_STEP,
    ONLY_BEGUN,
    SAME_STEP,
    SEE,
    STEP,
    Call,
    Control,
    Sight,
    control,
)
from treadle.batch.world_functions import CompiledFunction
from treadle.envs.programs import TaskPrograms
from treadle.errors import InputError
from treadle.native.executable import Executable, Runner
from treadle.native.frames import table

__all__ = ["ControlStep", "Outlook"]

#: When the next episode of a world begins by itself, by the value of Gymnasium's mode.
_RENEWALS = {"NextStep": NEXT_STEP, "SameStep": SAME_STEP, "Disabled": 0}

_NO_CALL = Call(run=0, arrays=0, steps=0, frame=0, timed=0)

#: Outputs of the program that looks at worlds besides observation and "done", and their types.
_REST = {"reward": "f8", "terms": "f8", "terminated": "?", "truncated": "?"}


class Outlook(NamedTuple):
    """What a control step gave, (worlds, ...): new arrays."""

    observation: np.ndarray
    reward: np.ndarray
    #: of the reward by name, each (worlds)
    terms: dict[str, np.ndarray]
    terminated: np.ndarray
    truncated: np.ndarray


class _Way(NamedTuple):
    """How the kernel is called for all worlds, and whether that is one call on this thread."""

    run: Callable[[], int]
    at_once: bool


class ControlStep:
    """Runs the programs of a task on the worlds of a batch; `given` are their further arrays.

    `renewal` says when the next episode of a world begins by itself: in the step after the last one of an
    episode ("NextStep"), in that one ("SameStep"), or not at all ("Disabled").
    """

    def __init__(
        self, batch: Batch, programs: TaskPrograms, given: dict[str, np.ndarray], renewal: str
    ) -> None:
        task, count, stride = programs.task, batch.worlds, given["over"].shape[1]
        self._batch, self._programs, self._given = batch, programs, given
        self._functions, self._workers = batch.functions, batch.functions.workers
        # setting an attribute of a batch goes through Python
        self._counters = vars(batch)
        self._renewal, self._steps = _RENEWALS[renewal], task.steps
        self._flags = CHECK | ACT | STEP | COUNT | SEE | self._renewal
        #: actions of the next control step: (worlds, actions), or whole numbers (worlds) of discrete ones
        self.asked = given["action"][:, :count].T
        self._choices = np.zeros(count, np.int64)
        if task.discrete is not None:
            self.asked = self._choices
        self._done = np.zeros(stride, bool)
        #: (worlds) whether the episode is over, and whether it is in any of them
        self.done, self.over = self._done[:count], False
        delays = programs.randomization.action_delay[1]
        self._delayed = delays > 0
        #: the last actions, where some act late
        self._ring, self._turns, self._turn = np.zeros((delays + 1, *given["action"].shape)), delays + 1, 0
        # observations have memory of their own: whoever keeps rewards does not keep them
        self._sight = (programs.observation_size, stride), np.dtype(task.dtype)
        self._columns = slice(count)
        self._rest = _Rest(programs.terms, count, stride)
        #: (numbers, columns) last observations of episodes that ended in a step with "SameStep"
        self._last = np.zeros(*self._sight)
        self.last = self._last[:, :count]
        #: what looks at worlds that nobody sees go into
        self._spare = {"observation": np.zeros(*self._sight), "done": np.zeros((1, stride), bool)}
        self._spare |= self._rest.arrays(np.zeros(self._rest.size, np.uint8))
        self._arrays = given | {f"next_{name}": array for name, array in given.items()} | self._spare
        #: an `Order`
        self._order = (c_int64 * 5)()
        #: what the calls were made for: events, loads, and, if they may change, controllers and inputs
        self._watched, self._loads, self._live = -1, None, True
        self._controllers: Any = None
        self._inputs: Any = None
        #: the calls, one per share of the worlds, and what they hold on to
        self._calls: list[partial[int]] = []
        self._memory: list[Any] = []
        #: the program of a step, if it is one; how a control step is run with it, and how everything else is
        self._program: Executable | None = None
        self._whole = self._others = _Way(lambda: 0, True)

    def step(self) -> Outlook:
        """A control step with the actions in `asked`; where an episode begins, the reward is zero."""
        batch, turn = self._batch, (self._turn + 1) % self._turns if self._delayed else 0
        self._prepare()
        if self._program is not None:
            seen = self._see(self._flags, self._whole, turn)
            self._turn = turn
            self._counters["steps"] += self._steps
            return seen
        ended = self.done.nonzero()[0] if self.over and self._renewal == NEXT_STEP else np.zeros(0, int)
        self._act(turn)
        self._turn = turn
        batch.step(self._steps)
        seen = self._see(COUNT | SEE | self._renewal, self._others)
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
        seen = self._see(SEE | ONLY_BEGUN, self._others)
        self.over = bool(self.done.any())
        self._batch.forget(chosen)
        return seen

    def look(self) -> Outlook:
        """What worlds are like now; the next step is measured from here."""
        self._prepare()
        return self._see(SEE, self._others)

    def save(self) -> dict[str, Any]:
        """What the next control step depends on besides the arrays that were given."""
        kept = {"done": self.done, "last": self._last, "ring": self._ring}
        return {name: array.copy() for name, array in kept.items()} | {"turn": self._turn, "over": self.over}

    def restore(self, state: dict[str, Any]) -> None:
        """Return to what was saved."""
        self.done[:], self._last[:], self._ring[:] = state["done"], state["last"], state["ring"]
        self._turn, self.over = state["turn"], state["over"]

    def _see(self, flags: int, way: _Way, turn: int = 0) -> Outlook:
        """Run into new arrays."""
        rest, order = self._rest, self._order
        shape, dtype = self._sight
        observation, memory = _EMPTY(shape, dtype), _EMPTY(rest.size, _BYTES)
        seen = _AT(id(observation) + _HEADER).value
        order[:] = flags, turn, seen, seen, _AT(id(memory) + _HEADER).value
        if not way.at_once and flags & CHECK:
            # all actions are looked at before the first one acts
            order[0] = CHECK
            self._accept(self._calls[0](0, self._batch.worlds))
            order[0] = flags ^ CHECK
        over = way.run()
        if over < 0:
            self._accept(over)
        self.over = over > 0
        fields, terms = _ARRAY((), rest.record, memory), {}
        for name, field in rest.terms:
            terms[name] = fields[field]
        ends, reward = fields["terminated"], fields["reward"]
        return _TUPLE(Outlook, (observation.T[self._columns], reward, terms, ends, fields["truncated"]))

    def _act(self, turn: int) -> None:
        """Commands from the actions, which are all looked at before."""
        order = self._order
        order[0], order[1] = CHECK, turn
        self._accept(self._calls[0](0, self._batch.worlds))
        order[0] = ACT
        self._others.run()

    def _accept(self, found: int) -> None:
        """Raise an error if the kernel says that an action is not valid."""
        if found >= 0:
            return
        world, choices = -1 - found, self._programs.task.discrete
        asked = self.asked[world]
        if choices is None:
            raise InputError(f"the action of world {world} must be finite, not {asked.tolist()}")
        raise InputError(f"the action of world {world} must be one of 0 to {choices - 1}, not {asked}")

    def _prepare(self) -> None:
        """Make the calls again where programs changed."""
        batch, world = self._batch, self._batch.world
        if self._live:
            self._functions.refresh()
            if world.controllers is not self._controllers or world.inputs is not self._inputs:
                self._watched = -1
        # programs are others where something is watched, or bodies are loaded
        if len(batch.events.logs) != self._watched or world.arrays.get("loads") is not self._loads:
            self._make()
            self._watched, self._loads = len(batch.events.logs), world.arrays.get("loads")
            self._controllers, self._inputs = world.controllers, world.inputs
            self._live = batch.controllers.watched or world.inputs.size > 0

    def _make(self) -> None:
        functions, programs = self._functions, self._programs
        step = self._program = functions.step_program()
        assert _AT(id(self._ring) + _HEADER).value == self._ring.ctypes.data, "NumPy's arrays begin elsewhere"
        found = {
            "begin": functions.compiled(("begin", step), partial(programs.begin, step), self._arrays),
            "look": functions.compiled("look", programs.look, self._arrays),
        }
        if programs.commands:
            found["command"] = functions.compiled("command", programs.command, self._arrays)
        self._memory, self._calls = [], []
        for _ in range(functions.workers.shares):
            calls = {
                name: self._call(each.code.runner(each.arrays), 1, each.timed) for name, each in found.items()
            }
            if step is not None:
                calls["step"] = self._call(step.runner(self._batch.arrays), programs.task.steps, False)
            start = _Start(found["begin"], self._drawn)
            calls["begin"] = self._call(start.runner, 1, False)
            record = self._record(calls, found["look"], start)
            address = table(record)
            self._memory += [record, address, start]
            self._calls.append(partial(control.pointer, address.ctypes.data, addressof(self._order)))

        slots = sum(each.code.layout.slots for each in found.values())
        self._others = self._way(slots)
        self._whole = self._way(slots + (0 if step is None else programs.task.steps * step.layout.slots))

    def _way(self, slots: int) -> _Way:
        """How code with so many slots is run."""
        if self._workers.is_short(slots):
            # numbers of ctypes need no conversion
            given = [c_int64(x) for x in (*self._calls[0].args, 0, self._workers.columns)]
            return _Way(partial(_locked(control.address), *given), True)
        return _Way(partial(self._workers.spread, self._calls), False)

    @property
    def _drawn(self) -> list[np.ndarray]:
        """Parameters that are drawn, each (worlds)."""
        return [self._batch.parameter(name) for name in self._programs.randomization.parameters]

    def _call(self, runner: Runner, steps: int, timed: bool) -> Call:
        self._memory.append(runner)
        run, arrays, frame = runner.addresses
        return Call(run=run, arrays=arrays, steps=steps, frame=frame, timed=int(timed))

    def _record(self, calls: dict[str, Call], look: CompiledFunction, start: _Start) -> Control:
        batch, programs, given, spare = self._batch, self._programs, self._given, self._spare
        names = [*look.code.layout.inputs, *look.code.layout.outputs]
        return Control(
            begin=calls["begin"],
            command=calls.get("command", _NO_CALL),
            step=calls.get("step", _NO_CALL),
            look=calls["look"],
            stride=given["over"].shape[1],
            worlds=batch.worlds,
            actions=programs.task.action_size,
            choices=programs.task.discrete or 0,
            sight=programs.observation_size,
            remembered=len(given["before"]),
            commanded=int(programs.task.command is None),
            single=int(programs.task.dtype == "float32"),
            delays=self._turns - 1,
            action=given["action"],
            chosen_action=self._choices,
            commands=batch.arrays["commands"],
            ring=self._ring,
            delay=given["delay"],
            taken=given["taken"],
            over=given["over"],
            done=self._done,
            done_address=self._done.ctypes.data,
            time=batch.functions.time,
            alive=batch.arrays["alive"],
            time_base=batch.arrays["time_base"],
            dt=batch.arrays["dt"],
            before=given["before"],
            kept=np.zeros((len(given["before"]), BLOCK)),
            chosen=np.zeros(BLOCK, np.int64),
            drawn_from=start.drawn_from,
            drawn_into=start.drawn_into,
            strides=start.strides,
            given=start.given,
            drawn=start.drawn,
            places=np.array([names.index(name) for name in ("observation", "done", *_REST)], np.int64),
            offsets=np.array(self._rest.offsets, np.int64),
            last=Sight(wide=self._last, single=self._last),
            spare=Sight(wide=spare["observation"], single=spare["observation"]),
            spare_done=spare["done"].ctypes.data,
            spare_rest=spare["reward"].ctypes.data,
        )


#: The kernel where it is too short to let go of the interpreter lock.
_locked = PYFUNCTYPE(c_int64, *[c_int64] * 4)


class _Start:
    """The program that begins episodes on worlds side by side, and the rows that it is copied from and to.

    `parameters` are where the values go that are drawn for them.
    """

    def __init__(self, begin: CompiledFunction, parameters: list[np.ndarray]) -> None:
        layout, targets = begin.code.layout, begin.arrays | {"next_values": parameters}
        own = {name: np.zeros((n, BLOCK)) for name, n in (layout.inputs | layout.outputs).items()}
        self.runner = begin.code.runner(own)
        read = [name for name in layout.inputs if name not in layout.unread]
        #: addresses of rows, see `Control`
        self.drawn_from, self.given = _rows(begin.arrays, read), _rows(own, read)
        self.drawn_into, self.drawn = _rows(targets, layout.outputs), _rows(own, layout.outputs)
        steps = [row.strides[0] // row.itemsize for name in layout.outputs for row in targets[name]]
        self.strides = np.array(steps, np.int64)


def _rows(arrays: Mapping[str, Iterable[np.ndarray]], names: Iterable[str]) -> np.ndarray:
    """Addresses of all rows of these arrays."""
    return np.array([row.ctypes.data for name in names for row in arrays[name]], np.int64)


class _Rest:
    """The outputs but the observation in one piece of memory: rows of `stride` columns, a world each."""

    def __init__(self, terms: Sequence[str], count: int, stride: int) -> None:
        rows = {"reward": 1, "terms": len(terms), "terminated": 1, "truncated": 1}
        self._shapes = {name: ((rows[name], stride), np.dtype(kind)) for name, kind in _REST.items()}
        #: where the outputs begin, and bytes of all
        self.offsets: list[int] = []
        self.size = 0
        for (number, _), dtype in self._shapes.values():
            self.offsets.append(self.size)
            self.size += number * stride * dtype.itemsize
        #: names of the terms, and of their fields in the record, which has one (worlds) for every row
        self.terms = [(name, f"term{k}") for k, name in enumerate(terms)]
        first, second, third, fourth = self.offsets
        places = [second + 8 * stride * k for k in range(len(terms))]
        self.record = np.dtype(
            {
                "names": ["reward", *[field for _, field in self.terms], "terminated", "truncated"],
                "formats": [("f8", count)] * (1 + len(terms)) + [("?", count)] * 2,
                "offsets": [first, *places, third, fourth],
                "itemsize": self.size,
            }
        )

    def arrays(self, memory: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs in this memory, with all columns."""
        return {
            name: np.ndarray(shape, dtype, memory, offset)
            for offset, (name, (shape, dtype)) in zip(self.offsets, self._shapes.items(), strict=True)
        }


#: The address of an array's numbers is _AT(id(array) + _HEADER).value: NumPy's binary interface has it right
#: behind the header of an object, and `ctypes.data` takes ten times as long.
_AT, _HEADER = c_int64.from_address, object.__basicsize__
_EMPTY, _ARRAY, _BYTES, _TUPLE = np.empty, np.ndarray, np.dtype(np.uint8), tuple.__new__
