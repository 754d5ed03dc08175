"""A task in many worlds: a batch, and the task's functions compiled for all of its worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treadle.batch import Batch
from treadle.batch.situation import Situation
from treadle.envs.random_numbers import normals, uniforms
from treadle.envs.randomization import Randomization
from treadle.envs.start import Begin, Start, count_draws
from treadle.envs.task import Task
from treadle.graph import Scalar, where
from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program
from treadle.sim.moment_program import MeasureKind, moment_program
from treadle.sim.recording.signals.moment import Moment

__all__ = ["Outlook", "TaskWorlds"]

#: Place of observation noise and of pushes among the steps that random numbers are counted by.
_NOISE, _PUSH = 1 << 40, 1 << 41


class Outlook(NamedTuple):
    """What a control step gave, (worlds, ...): new arrays."""

    observation: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray
    #: (terms, worlds)
    terms: np.ndarray


class TaskWorlds:
    """Worlds of one task, which are begun, advanced and looked at.

    Everything is a function of the seeds, of the episode's number and of the actions: results have the same
    bits for any number of threads and worlds.
    """

    def __init__(
        self, task: Task, count: int, threads: int | None = None, randomization: Randomization | None = None
    ) -> None:
        self.task, self.count = task, count
        self.randomization = task.randomization if randomization is None else randomization
        model = task.machine()
        self.batch = Batch(
            model,
            count,
            dt=task.dt,
            threads=threads,
            parameters=list(self.randomization.parameters),
            **task.options,
        )
        #: length of a control step (s)
        self.period = task.steps * float(self.batch.dt[0])
        #: (worlds)
        self.seeds, self.episodes = np.arange(count, dtype=np.uint64), np.zeros(count, np.int64)
        #: control steps of the present episode (worlds)
        self.taken = np.zeros(count, np.int64)
        self._draws, (begin, values) = count_draws(model, self._drawn)
        self._begin_code: Executable | None = None
        self._sizes = len(begin.variables), len(values)
        example = self._example(begin)
        self._before_size = len(task.remember(example))
        seen = task.observe(_with_before(example, [0.0] * self._before_size))
        self.observation_size = len(seen)
        #: names of the terms of the reward
        self.terms = tuple(task.reward(_with_before(example, [0.0] * self._before_size)))
        room = self.batch.functions.room
        self._given = {
            "action": room(task.action_size),
            "before": room(self._before_size),
            "variables": room(len(begin.variables)),
        }
        low, high = self.randomization.action_delay
        #: (delays, actions, worlds) the last actions, where some act late
        self._ring = np.zeros((high + 1, task.action_size, count))
        self._delay = np.full(count, low)

    @property
    def variables(self) -> np.ndarray:
        """(worlds, variables) of the episodes, live."""
        return self._given["variables"][:, : self.count].T

    def begin(self, chosen: np.ndarray) -> None:
        """Begin another episode in worlds, by number."""
        seeds, episodes = self.seeds[chosen], self.episodes[chosen]
        q, v, variables, values = self._begun(uniforms(seeds, episodes, self._draws))
        self.batch.reset(chosen, q=q.T, v=v.T)
        self._given["variables"][:, chosen] = variables
        # the last action of the episode before is none of this one
        self._given["action"][:, chosen] = 0.0
        for name, drawn in zip(self.randomization.parameters, values, strict=True):
            self.batch.parameter(name)[chosen] = drawn
        low, high = self.randomization.action_delay
        if high:
            drawn = uniforms(seeds, episodes, 1, _NOISE - 1)[0]
            self._delay[chosen] = low + np.floor(drawn * (high - low + 1)).astype(int)
            self._ring[:, :, chosen] = 0.0
        self.episodes[chosen] += 1
        self.taken[chosen] = 0

    def advance(self, actions: np.ndarray) -> None:
        """Take a control step with an action (actions) of each world."""
        action = self._given["action"]
        action[:, : self.count] = actions.reshape(self.count, -1).T
        if len(self._ring) > 1:
            self._ring = np.roll(self._ring, 1, axis=0)
            self._ring[0] = action[:, : self.count]
            action[:, : self.count] = self._ring[self._delay, :, np.arange(self.count)].T
        if self.task.command is None:
            self.batch.arrays["commands"][:, : self.count] = action[:, : self.count]
        else:
            commands = self.batch.functions.evaluate(("command", self.task.name), self._command, self._given)
            self.batch.arrays["commands"][:] = commands["command"]
        if len(self._ring) > 1:
            # rewards are about what was asked for
            action[:, : self.count] = self._ring[0]
        self._push()
        self.batch.step(self.task.steps)
        self.taken += 1

    def look(self, chosen: np.ndarray | None = None) -> Outlook:
        """What worlds (all, or some by number) are like now; the next step is measured from here."""
        functions, key = self.batch.functions, ("look", self.task.name)
        given, count = self._given, self.count if chosen is None else len(chosen)
        found = functions.evaluate(key, self._look, given, worlds=chosen)
        place = slice(0, self.count) if chosen is None else chosen
        if self._before_size:
            given["before"][:, place] = found["remembered"][:, :count]
        observation = np.ascontiguousarray(found["observation"][:, :count].T, dtype=self.task.dtype)
        self._add_noise(observation, place)
        terminated = (found["terminated"][0, :count] > 0.5) | ~self.batch.alive[place]
        return Outlook(
            observation, found["reward"][0, :count].copy(), terminated, found["terms"][:, :count].copy()
        )

    def _look(self, kind: MeasureKind) -> Program:
        task = self.task

        def function(moment: Moment, values: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Scalar]]:
            now = self._situation(moment, values)
            terms = list(task.reward(now).values())
            total: Scalar = 0.0
            for term in terms:
                total = total + term
            found = {
                "observation": list(task.observe(now)),
                "reward": [total],
                "terms": terms,
                "terminated": [where(task.terminated(now), 1.0, 0.0)],
            }
            return found | ({"remembered": list(task.remember(now))} if self._before_size else {})

        return moment_program(self.batch.world, kind, function, None, self._further())

    def _command(self, kind: MeasureKind) -> Program:
        command = self.task.command
        assert command is not None

        def function(moment: Moment, values: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Scalar]]:
            return {"command": list(command(self._situation(moment, values)))}

        return moment_program(self.batch.world, kind, function, None, self._further())

    def _situation(self, moment: Moment, values: Mapping[str, Sequence[Scalar]]) -> Situation:
        action, before, variables = (values.get(name, ()) for name in ("action", "before", "variables"))
        return Situation(moment, action, before, variables, self.period)

    def _further(self) -> dict[str, int]:
        return {name: len(array) for name, array in self._given.items()}

    def _drawn(self, start: Start) -> tuple[Begin, list[Scalar]]:
        """All that is drawn at a reset."""
        return self.task.start(start), self.randomization.values(start)

    def _begun(self, draws: np.ndarray) -> tuple[np.ndarray, ...]:
        """q, v, variables and parameters (rows, worlds) from random numbers (draws, worlds)."""
        model, (variables, values) = self.batch.model, self._sizes
        if self._begin_code is None:
            self._begin_code = compile_program(self._begin_program(), self.batch.lanes)
        count, lanes = draws.shape[1], self.batch.lanes
        padded = -(-count // lanes) * lanes
        sizes = {"q": model.nq, "v": model.nv, "variables": variables, "values": values}
        arrays = {name: np.zeros((rows, padded)) for name, rows in sizes.items()}
        arrays["draws"] = np.full((max(self._draws, 1), padded), 0.5)
        arrays["draws"][: self._draws, :count] = draws
        self._begin_code.run(arrays, 0, padded)
        return tuple(arrays[name][:, :count] for name in sizes)

    def _begin_program(self) -> Program:
        def function(draws: Sequence[Scalar]) -> dict[str, list[Scalar]]:
            numbers = iter(draws)
            begin, values = self._drawn(Start(self.batch.model, lambda: next(numbers)))
            found = {"q": begin.q, "v": begin.v, "variables": begin.variables, "values": values}
            return {name: list(rows) for name, rows in found.items() if len(rows)}

        return Program(None, {"draws": max(self._draws, 1)}, function, hot=False)

    def _example(self, begin: Begin) -> Situation:
        """A situation in floats, to see how many numbers the task's functions give."""
        model, kind = self.batch.model, self.batch.functions.kind
        moment = Moment(
            model, (), (), begin.q, begin.v, [0.0] * model.nv, [], 0.0,
            commands=[0.0] * len(model.actuators), dt=float(self.batch.dt[0]),
            terrain=self.batch.step_options.terrain if model.wheels else None,
            shape_forces={name: [0.0] * 7 for name, _ in kind.shapes},
        )  # fmt: skip
        return Situation(moment, [0.0] * self.task.action_size, (), begin.variables, self.period)

    def _add_noise(self, observation: np.ndarray, place: slice | np.ndarray) -> None:
        stddev = np.asarray(self.randomization.observation_noise, dtype=float)
        if (stddev > 0.0).any():
            worlds = self.seeds[place], self.episodes[place]
            drawn = normals(*worlds, self.observation_size, _NOISE + self.taken[place])
            observation += stddev * drawn.T

    def _push(self) -> None:
        """Change the velocity of bases that are due for it."""
        push = self.randomization.push
        if push is None:
            return
        every = max(1, round(push.every / self.period))
        due = np.flatnonzero((self.taken > 0) & (self.taken % every == 0))
        if len(due):
            drawn = uniforms(self.seeds[due], self.episodes[due], 2, _PUSH + self.taken[due])
            self.batch.arrays["v"][3:5, due] += push.speed * (2.0 * drawn - 1.0)


def _with_before(example: Situation, before: Sequence[Scalar]) -> Situation:
    return Situation(example.moment, example.action, before, example.variables, example.period)
