"""A task in many worlds: a batch, and the task's functions compiled for all of its worlds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.batch import Batch
from treadle.batch.cluster import Cluster
from treadle.envs.programs import TaskPrograms
from treadle.envs.randomization import Randomization
from treadle.envs.task import Task

__all__ = ["Outlook", "TaskWorlds"]


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
        self,
        task: Task,
        count: int,
        threads: int | None = None,
        randomization: Randomization | None = None,
        backend: str | Cluster = "local",
    ) -> None:
        self.task, self.count = task, count
        self.randomization = task.randomization if randomization is None else randomization
        self.batch = Batch(
            task.machine(),
            count,
            dt=task.dt,
            threads=threads,
            parameters=list(self.randomization.parameters),
            backend=backend,
            **task.options,
        )
        self._programs = TaskPrograms(task, self.batch, self.randomization)
        #: length of a control step (s), numbers of an observation, names of the terms of the reward
        self.period = self._programs.period
        self.observation_size, self.terms = self._programs.observation_size, self._programs.terms
        #: by name, see `TaskPrograms`
        self.given = {name: self.batch.functions.room(size) for name, size in self._programs.sizes.items()}
        self._arrays = self.given | {f"next_{name}": array for name, array in self.given.items()}
        #: (worlds), live: control steps of the present episode, and whether it began since the last look
        self.taken, self._begun = (self.given[name][0, :count] for name in ("taken", "over"))
        self._action = self.given["action"][:, :count]
        self.seed(np.arange(count), np.arange(count, dtype=np.uint64))
        _, high = self.randomization.action_delay
        #: (delays, actions, worlds) the last actions, where some act late
        self._ring = np.zeros((high + 1, task.action_size, count))

    @property
    def variables(self) -> np.ndarray:
        """(worlds, variables) of the episodes, live."""
        return self.given["variables"][:, : self.count].T

    def seed(self, chosen: np.ndarray, seeds: np.ndarray) -> None:
        """Give worlds, by number, seeds (uint64); their next episode is the first."""
        words = np.asarray(seeds, dtype=np.uint64)
        self.given["seed"][0, chosen] = words & np.uint64(0xFFFFFFFF)
        self.given["seed"][1, chosen] = words >> np.uint64(32)
        self.given["episode"][0, chosen] = 0.0

    def begin(self, chosen: np.ndarray) -> None:
        """Begin another episode in worlds, by number."""
        self._begun[:] = 0.0
        self._begun[chosen] = 1.0
        self.batch.functions.evaluate("begin", self._programs.begin, self._arrays)
        self.batch.forget(chosen)
        for name, drawn in zip(self.randomization.parameters, self.given["values"], strict=True):
            self.batch.parameter(name)[chosen] = drawn[chosen]
        if len(self._ring) > 1:
            self._ring[:, :, chosen] = 0.0

    def advance(self, actions: np.ndarray) -> None:
        """Take a control step with an action (actions) of each world."""
        asked = actions.reshape(self.count, -1).T
        self._action[:] = asked
        if len(self._ring) > 1:
            self._delay(asked)
        if self.task.command is None:
            self.batch.arrays["commands"][:, : self.count] = self._action
        if self._programs.commands:
            self.batch.functions.evaluate("command", self._programs.command, self._arrays)
        if len(self._ring) > 1:
            # rewards are about what was asked for
            self._action[:] = asked
        self.batch.step(self.task.steps)
        self.taken += 1.0

    def look(self) -> Outlook:
        """What worlds are like now; the next step is measured from here.

        Where an episode began since the last look, the reward is zero.
        """
        found, count = self.batch.functions.evaluate("look", self._programs.look, self._arrays), self.count
        self._begun[:] = 0.0
        return Outlook(
            found["observation"][:, :count].T.astype(self.task.dtype),
            found["reward"][0, :count].copy(),
            found["terminated"][0, :count] > 0.5,
            found["terms"][:, :count].copy(),
        )

    def _delay(self, asked: np.ndarray) -> None:
        """Let each world act as it was asked some control steps ago."""
        self._ring = np.roll(self._ring, 1, axis=0)
        self._ring[0] = asked
        late = self.given["delay"][0, : self.count].astype(int)
        self._action[:] = self._ring[late, :, np.arange(self.count)].T
