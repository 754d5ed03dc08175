"""A task as an environment of Gymnasium: one world."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.extras import missing_package

try:
    import gymnasium as gym
except ModuleNotFoundError:
    raise missing_package("gymnasium", "an environment for learning") from None

from treadle.envs.pictures import RENDER_MODES, WorldPictures, check_render_mode
from treadle.envs.randomization import Randomization
from treadle.envs.task import Task
from treadle.envs.tasks import find_task
from treadle.envs.vector_env import action_space, check_options, observation_space
from treadle.envs.worlds import TaskWorlds
from treadle.errors import InputError

__all__ = ["Env"]


class Env(gym.Env):
    """One world of a task; it goes the way of the world of a `VectorEnv` with the same seed, bit for bit.

    With the `render_mode` "rgb_array" `render()` gives pictures (height, width, 3) by a camera that follows.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 50}  # noqa: RUF012  # of Gymnasium

    def __init__(
        self,
        task: Task | str = "CartPole",
        randomization: Randomization | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.task, self.render_mode = find_task(task), check_render_mode(render_mode)
        #: the world, with its batch
        self.worlds = TaskWorlds(self.task, 1, 1, randomization)
        self.action_space = action_space(self.task)
        self.observation_space = observation_space(self.task, self.worlds.observation_size)
        self.metadata = {"render_modes": RENDER_MODES, "render_fps": round(1.0 / self.worlds.period)}
        self._seeded, self._pictures = False, WorldPictures(self.worlds, render_mode)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode."""
        check_options(options, ())
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(1 << 62))
        if seed is not None:
            self.worlds.seed(np.array([0]), [seed])
            self._seeded = True
        return self.worlds.begin(np.array([0])).observation[0], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take a control step."""
        if not self._seeded:
            raise InputError("call reset() before step()")
        seen = self.worlds.step(np.asarray(action)[None])
        info = {name: float(term[0]) for name, term in seen.terms.items()}
        return seen.observation[0], float(seen.reward[0]), bool(seen.terminated[0]), False, info

    def render(self) -> np.ndarray:  # type: ignore[override]
        """A picture of the machine where it is."""
        return self._pictures.take(0)
