"""What a task is: a machine, and traced functions that say how episodes begin, what is seen and what counts.

    TASK = Task(
        name="Reacher",
        machine=lambda: td.load("reacher.xml"),
        start=begin, observe=observation, reward=reward,
        action_low=(-1.0, -1.0), action_high=(1.0, 1.0),
        steps=2, max_episode_steps=50,
    )

Every function is over traced scalars (use `td.where` instead of `if`) and runs in compiled code for all
worlds at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treadle.batch.situation import Situation
from treadle.envs.randomization import Randomization
from treadle.envs.start import Begin, Start
from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["Task"]


def _never(_: Situation) -> Any:
    return False


def _nothing(_: Situation) -> Sequence[Scalar]:
    return ()


@dataclass(frozen=True)
class Task:
    """A task for learning; its environment is called "Treadle/<name>-v0"."""

    name: str
    machine: Callable[[], Model]
    #: how an episode begins
    start: Callable[[Start], Begin]
    #: what is observed after a control step
    observe: Callable[[Situation], Sequence[Scalar]]
    #: terms by name, which add up to the reward
    reward: Callable[[Situation], Mapping[str, Scalar]]
    #: whether the episode ends
    terminated: Callable[[Situation], Any] = _never
    #: what the next control step finds in `before`
    remember: Callable[[Situation], Sequence[Scalar]] = _nothing
    #: commands of the actuators from the action, which they are by default
    command: Callable[[Situation], Sequence[Scalar]] | None = None
    #: bounds of the action, or the number of discrete ones
    action_low: Sequence[float] = ()
    action_high: Sequence[float] = ()
    discrete: int | None = None
    #: bounds of the observation, none by default, and the type of its numbers
    observation_high: Sequence[float] | None = None
    dtype: str = "float64"
    #: steps of the simulation per control step, and control steps per episode
    steps: int = 1
    max_episode_steps: int = 1000
    dt: float | None = None
    #: further options of the `Batch`
    options: Mapping[str, Any] = field(default_factory=dict)
    randomization: Randomization = field(default_factory=Randomization)

    def __post_init__(self) -> None:
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"task {self.name!r}: dtype must be 'float32' or 'float64', not {self.dtype!r}")

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copies of a built-in task are made by its name: its functions may have none."""
        from treadle.envs.tasks import builtin, find_task

        return (find_task, (self.name,)) if builtin(self) else super().__reduce_ex__(protocol)

    @property
    def id(self) -> str:
        """Under what Gymnasium knows it."""
        return f"Treadle/{self.name}-v0"

    @property
    def action_size(self) -> int:
        """Numbers of an action."""
        return 1 if self.discrete is not None else len(self.action_low)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the action."""
        return np.array(self.action_low, np.float32), np.array(self.action_high, np.float32)
