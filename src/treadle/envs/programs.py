"""The functions of a task as programs for all worlds: how episodes begin, what is commanded, what is seen.

Random numbers come from Philox inside the programs: the key is a world's seed, the counter says which number
of which episode and control step it is, and what for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from treadle.batch import Batch
from treadle.batch.situation import Situation
from treadle.envs.randomization import Randomization
from treadle.envs.start import Begin, Start, standard_normal
from treadle.envs.task import Task
from treadle.errors import InputError
from treadle.graph import Scalar, equal, floor, maximum, random_pair, sqrt, where
from treadle.native.executable import Executable
from treadle.native.program import Program
from treadle.sim.moment_program import MeasureKind, moment_program
from treadle.sim.recording.signals.moment import Moment

__all__ = ["TaskPrograms"]

Values = Mapping[str, Sequence[Scalar]]

#: What random numbers are for: the last word of their counter.
_START, _NOISE, _PUSH, _DELAY = range(4)


class TaskPrograms:
    """Programs of a task on the worlds of a batch, and the arrays that they need besides those of the batch.

    Of each world: "action", "before" and "variables" as in a `Situation`; "seed" (two words of 32 bits),
    "episode" and "taken" (episodes begun, control steps of this one); "over" is 1 where an episode is to
    begin, and after that until the world is looked at. Episodes are truncated after `longest` control steps.
    """

    def __init__(self, task: Task, batch: Batch, randomization: Randomization, longest: int) -> None:
        if batch.precision != "float64":
            raise InputError(f"task {task.name!r} computes in float64: leave 'precision' out of its options")
        self.task, self.randomization, self.longest = task, randomization, longest
        self._batch = batch
        #: length of a control step (s)
        self.period = task.steps * float(batch.dt[0])
        begin, values = self._drawn(Start(batch.model, lambda: 0.5))
        #: rows of the further arrays
        self.sizes = {
            "action": task.action_size,
            "before": 0,
            "variables": len(begin.variables),
            "seed": 2,
            "episode": 1,
            "taken": 1,
            "over": 1,
            "delay": 1 if randomization.action_delay[1] else 0,
            "values": len(values),
        }
        example = self._example(begin)
        self.sizes["before"] = len(task.remember(example(())))
        seen = example([0.0] * self.sizes["before"])
        self.observation_size = len(task.observe(seen))
        #: names of the terms of the reward
        self.terms = tuple(task.reward(seen))
        self.commands = task.command is not None or randomization.push is not None
        self._check_randomization()

    def _check_randomization(self) -> None:
        size, noise = self.observation_size, np.shape(self.randomization.observation_noise)
        if noise not in ((), (1,), (size,)):
            raise InputError(f"observation_noise needs one number, or {size} of them, not {noise[0]}")
        if self.randomization.push is not None and self._base is None:
            raise InputError(f"nothing can push {self.task.name}: its machine has no floating base")

    @property
    def _base(self) -> slice | None:
        """Velocities of a floating base."""
        return next((x.v for x in self._batch.model.joints if x.type.kind == "free"), None)

    def begin(self, step: Executable | None, _: MeasureKind) -> Program:
        """Worlds begin an episode. What the program of a step, if it is one, does not write is not reset."""
        fresh = {
            name: column
            for name, column in self._batch.fresh.items()
            if step is None or name in ("q", "v", "time_base") or f"next_{name}" in step.layout.outputs
        }
        sizes = {name: len(column) for name, column in fresh.items()} | self.sizes

        def function(**given: Sequence[Scalar]) -> dict[str, list[Scalar]]:
            draw = _numbers(given, 0.0, _START)
            begin, values = self._drawn(Start(self._batch.model, draw))
            # the last action of the episode before is none of this one, nor what it remembered
            start: dict[str, Sequence[Scalar]] = {name: column.tolist() for name, column in fresh.items()}
            start |= {"q": self._normalized(begin.q), "v": begin.v, "variables": begin.variables}
            start |= {name: [0.0] * len(given.get(name, ())) for name in ("action", "before", "taken")}
            start |= {"values": values}
            start |= {"episode": [given["episode"][0] + 1.0], "delay": self._delay(given)}
            return {f"next_{name}": list(values) for name, values in start.items() if name in given}

        inputs = {name: size for name, size in sizes.items() if size}
        return Program(None, inputs, function, hot=False)

    def command(self, kind: MeasureKind) -> Program:
        """Commands of the actuators from the actions, and velocities after pushes."""
        command = self.task.command

        def function(moment: Moment, given: Values) -> dict[str, list[Scalar]]:
            found = (
                {} if command is None else {"next_commands": list(command(self._situation(moment, given)))}
            )
            return found | (
                {} if self.randomization.push is None else {"next_v": self._pushed(moment, given)}
            )

        return moment_program(self._batch.world, kind, function, None, self._further())

    def look(self, kind: MeasureKind) -> Program:
        """Observation, reward, its terms, end of the episode; `before` for the next step."""
        task, longest = self.task, float(self.longest)

        def function(moment: Moment, given: Values) -> dict[str, list[Scalar]]:
            now, begun = self._situation(moment, given), given["over"][0] > 0.5
            terms = [where(begun, 0.0, term) for term in task.reward(now).values()]
            total: Scalar = 0.0
            for term in terms:
                total = total + term
            ends = where(begun, 0.0, where(task.terminated(now) | (given["alive"][0] < 0.5), 1.0, 0.0))
            late = where(given["taken"][0] >= longest, 1.0, 0.0)
            return {
                "observation": self._noisy(list(task.observe(now)), given),
                "reward": [total],
                "terms": terms,
                "terminated": [ends],
                "truncated": [late],
                "done": [maximum(ends, late)],
                "next_before": list(task.remember(now)),
            }

        made = moment_program(self._batch.world, kind, function, None, self._further() | {"alive": 2})
        kinds = {"observation": task.dtype, **dict.fromkeys(("terminated", "truncated", "done"), "bool")}
        return replace(made, kinds={name: kind for name, kind in kinds.items() if kind != "float64"})

    def _drawn(self, start: Start) -> tuple[Begin, list[Scalar]]:
        """All that is drawn at a reset."""
        return self.task.start(start), self.randomization.values(start)

    def _situation(self, moment: Moment, given: Values) -> Situation:
        action, before, variables = (given.get(name, ()) for name in ("action", "before", "variables"))
        return Situation(moment, action, before, variables, self.period)

    def _further(self) -> dict[str, int]:
        return {name: size for name, size in self.sizes.items() if name not in ("delay", "values")}

    def _delay(self, given: Values) -> list[Scalar]:
        low, high = self.randomization.action_delay
        return [low + floor(_numbers(given, 0.0, _DELAY)() * (high - low + 1.0))]

    def _noisy(self, seen: list[Scalar], given: Values) -> list[Scalar]:
        stddev = np.broadcast_to(np.asarray(self.randomization.observation_noise, dtype=float), len(seen))
        if not (stddev > 0.0).any():
            return seen
        draw = _numbers(given, given["taken"][0], _NOISE)
        return [x + s * standard_normal(draw) for x, s in zip(seen, stddev.tolist(), strict=True)]

    def _pushed(self, moment: Moment, given: Values) -> list[Scalar]:
        """Velocities, with those of the base changed where a push is due."""
        push, taken, base = self.randomization.push, given["taken"][0], self._base
        assert push is not None and base is not None
        every = float(max(1, round(push.every / self.period)))
        due = equal(taken - every * floor(taken / every), 0.0) & (taken > 0.5)
        draw = _numbers(given, taken, _PUSH)
        v = list(moment.v)
        for k in (base.start + 3, base.start + 4):
            v[k] = v[k] + where(due, push.speed * (2.0 * draw() - 1.0), 0.0)
        return v

    def _normalized(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Positions with quaternions of unit length."""
        found = list(q)
        for joint in self._batch.model.joints:
            if joint.type.nq != joint.type.nv:
                # quaternions come first in the positions of joints that have one
                part = slice(joint.q.start, joint.q.start + 4)
                length = sqrt(sum(x * x for x in found[part]))
                found[part] = [x / length for x in found[part]]
        return found

    def _example(self, begin: Begin) -> Callable[[Sequence[Scalar]], Situation]:
        """A situation in floats, to see how many numbers the task's functions give."""
        batch, model, kind = self._batch, self._batch.model, self._batch.functions.kind
        moment = Moment(
            model, (), (), begin.q, begin.v, [0.0] * model.nv, [], 0.0,
            commands=[0.0] * len(model.actuators), dt=float(batch.dt[0]),
            terrain=batch.step_options.terrain if model.wheels else None,
            shape_forces={name: [0.0] * 7 for name, _ in kind.shapes},
        )  # fmt: skip
        action = [0.0] * self.task.action_size
        return lambda before: Situation(moment, action, before, begin.variables, self.period)


def _numbers(given: Values, step: Scalar, stream: int) -> Callable[[], Scalar]:
    """Draws numbers between 0 and 1 of a world, one after the other."""
    key, episode, waiting, place = given["seed"], given["episode"][0], [], count()

    def draw() -> Scalar:
        if not waiting:
            waiting.extend(reversed(random_pair(key, [float(next(place)), episode, step, float(stream)])))
        return waiting.pop()

    return draw
