"""A task in many worlds: a batch, and the task's functions compiled for all of its worlds."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.batch import Batch
from treadle.batch.cluster import Cluster
from treadle.envs.control_step import ControlStep, Outlook
from treadle.envs.programs import TaskPrograms
from treadle.envs.randomization import Randomization
from treadle.envs.task import Task
from treadle.errors import InputError

__all__ = ["Outlook", "TaskWorlds", "check_seed"]

#: Control steps of episodes that are not truncated.
_ENDLESS = 1 << 53

# complex actions are a mistake: their imaginary part would be dropped
warnings.filterwarnings("error", category=np.exceptions.ComplexWarning, module=re.escape(__name__))


class TaskWorlds:
    """Worlds of one task, which are begun, advanced and looked at; options are those of `ControlStep`.

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
        renewal: str = "Disabled",
        longest: int | None = None,
    ) -> None:
        self.task, self.count = task, count
        self._made_with = task, count, threads, randomization, backend, renewal, longest
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
        programs = TaskPrograms(task, self.batch, self.randomization, longest or _ENDLESS)
        #: length of a control step (s), numbers of an observation, names of the terms of the reward
        self.period = programs.period
        self.observation_size, self.terms = programs.observation_size, programs.terms
        #: by name, see `TaskPrograms`
        self.given = {name: self.batch.functions.room(size) for name, size in programs.sizes.items()}
        #: (worlds), live: control steps of the present episode
        self.taken = self.given["taken"][0, :count]
        self._control = ControlStep(self.batch, programs, self.given, renewal)
        self._asked = self._control.asked
        self._shape, self._discrete = self._asked.shape, task.discrete is not None
        self.seed(np.arange(count), range(count))

    def __reduce__(self) -> Any:
        """Copies go on from the same state, with the same bits."""
        return _copied, (self._made_with, self.batch.save(), self._kept())

    def _kept(self) -> dict[str, Any]:
        """What an episode depends on besides the state of the batch."""
        parameters = {name: self.batch.parameter(name).copy() for name in self.randomization.parameters}
        return {"given": self.given, "control": self._control.save(), "parameters": parameters}

    @property
    def variables(self) -> np.ndarray:
        """(worlds, variables) of the episodes, live."""
        return self.given["variables"][:, : self.count].T

    @property
    def done(self) -> np.ndarray:
        """(worlds) whether the episode is over and the next one has not begun, live."""
        return self._control.done

    @property
    def over(self) -> bool:
        """Whether the last step ended an episode in any world, which has not begun again."""
        return self._control.over

    @property
    def last(self) -> np.ndarray:
        """(worlds, numbers) last observations of episodes that ended in a step that began the next, live."""
        return self._control.last.T

    def seed(self, chosen: np.ndarray, seeds: Sequence[int]) -> None:
        """Give worlds, by number, seeds, from 0 up to 2^64; their next episode is the first."""
        words = np.array([check_seed(seed) for seed in seeds], dtype=np.uint64)
        self.given["seed"][0, chosen] = words & np.uint64(0xFFFFFFFF)
        self.given["seed"][1, chosen] = words >> np.uint64(32)
        self.given["episode"][0, chosen] = 0.0

    def begin(self, chosen: np.ndarray) -> Outlook:
        """Begin another episode in worlds, by number; the others stay as they are."""
        return self._control.begin(chosen)

    def step(self, actions: Any) -> Outlook:
        """Take a control step with an action of each world; where an episode begins, the reward is zero."""
        if type(actions) is not np.ndarray:
            actions = np.asarray(actions)
        if actions.shape != self._shape:
            raise InputError(f"the actions must have shape {self._shape}, not {actions.shape}")
        if self._discrete and actions.dtype.kind == "f":
            actions = self._whole(actions)
        try:
            self._asked[...] = actions
        except (TypeError, ValueError, np.exceptions.ComplexWarning):
            raise InputError("the actions must be real numbers") from None
        return self._control.step()

    def _whole(self, actions: np.ndarray) -> np.ndarray:
        """Discrete actions that came as floats."""
        wrong = ~(np.abs(actions) < 1 << 53) | (actions != np.floor(actions))
        if wrong.any():
            world, last = int(wrong.argmax()), int(self.task.discrete or 0) - 1
            raise InputError(
                f"the action of world {world} must be one of 0 to {last}, not {actions[world]:g}"
            )
        return actions.astype(np.int64)

    def look(self) -> Outlook:
        """What worlds are like now; the next step is measured from here."""
        return self._control.look()


def _copied(made_with: tuple, state: dict[str, np.ndarray], kept: dict[str, Any]) -> TaskWorlds:
    worlds = TaskWorlds(*made_with)
    for name, array in kept["given"].items():
        worlds.given[name][...] = array
    for name, values in kept["parameters"].items():
        worlds.batch.parameter(name)[...] = values
    worlds.batch.restore(state)
    worlds._control.restore(kept["control"])
    return worlds


def check_seed(seed: Any) -> int:
    """A seed as a number."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 64:
        raise InputError(f"a seed must be a whole number from 0 up to 2^64 - 1, not {seed!r}")
    return number
