"""A task as a vector environment of Gymnasium: all worlds of a batch advance in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymVectorEnv
from gymnasium.vector.utils import batch_space

from treadle.batch.cluster import Cluster
from treadle.envs.pictures import RENDER_MODES, WorldPictures, check_render_mode
from treadle.envs.randomization import Randomization
from treadle.envs.task import Task
from treadle.envs.tasks import find_task
from treadle.envs.worlds import TaskWorlds, check_seed
from treadle.errors import InputError
from treadle.sim.checks import check_choice, check_count

__all__ = ["VectorEnv", "action_space", "check_options", "observation_space"]


def action_space(task: Task) -> gym.Space:
    """Of one world."""
    if task.discrete is not None:
        return gym.spaces.Discrete(task.discrete)
    low, high = task.bounds()
    return gym.spaces.Box(low, high, dtype=np.float32)


def observation_space(task: Task, size: int) -> gym.spaces.Box:
    """Of one world."""
    dtype: Any = np.dtype(task.dtype).type
    high = np.full(size, np.inf) if task.observation_high is None else np.array(task.observation_high)
    return gym.spaces.Box(-high.astype(dtype), high.astype(dtype), dtype=dtype)


def check_options(options: Any, known: Sequence[str]) -> dict[str, Any]:
    """The options of a reset, which knows these."""
    if options is not None and not isinstance(options, Mapping):
        raise InputError(f"the options of reset() must be a dictionary, not {options!r}")
    for name in options or ():
        if name not in known:
            raise InputError(f"reset() has no option {name!r}; it has {', '.join(known) or 'none'}")
    return dict(options or {})


class VectorEnv(GymVectorEnv):
    """`num_envs` worlds of a task: (worlds, ...) arrays, new ones at every step.

    World i has the seed `seed + i`, or its own from a list of seeds; it goes the way of a single `Env` with
    that seed, bit for bit, for any number of worlds and threads. `randomization` replaces the task's own.
    With the `backend` "ray", or a `Cluster`, steps of the simulation are taken on its workers.
    """

    def __init__(
        self,
        num_envs: int = 1,
        task: Task | str = "CartPole",
        max_episode_steps: int | None = None,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        randomization: Randomization | None = None,
        render_mode: str | None = None,
        backend: str | Cluster = "local",
    ) -> None:
        self.task = find_task(task)
        self.num_envs, self.render_mode = num_envs, check_render_mode(render_mode)
        longest = self.task.max_episode_steps if max_episode_steps is None else max_episode_steps
        self.max_episode_steps = check_count("max_episode_steps", longest)
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        check_choice("autoreset_mode", mode, tuple(modes))
        self.autoreset_mode = modes[mode]
        #: the worlds, with their batch
        self.worlds = TaskWorlds(
            self.task,
            num_envs,
            threads,
            randomization,
            backend,
            renewal=self.autoreset_mode.value,
            longest=self.max_episode_steps,
        )
        rate = round(1.0 / self.worlds.period)
        self.metadata = {
            "render_modes": RENDER_MODES, "render_fps": rate, "autoreset_mode": self.autoreset_mode,
        }  # fmt: skip
        self._pictures = WorldPictures(self.worlds, render_mode)
        self.single_action_space = action_space(self.task)
        self.single_observation_space = observation_space(self.task, self.worlds.observation_size)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        everywhere = np.ones(num_envs, bool)
        everywhere.flags.writeable = False
        # infos of many worlds, as Gymnasium lays them out: what was given, and where
        self._given_everywhere: dict[str, Any] = {f"_{name}": everywhere for name in self.worlds.terms}
        self._begun = False
        self._disabled = self.autoreset_mode is AutoresetMode.DISABLED
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in all worlds, or in those of `options["reset_mask"]`."""
        mask = self._mask(options)
        if isinstance(seed, np.integer):
            seed = int(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._seed(seed, mask)
        self._begun = True
        return self.worlds.begin(np.flatnonzero(mask)).observation, {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take a control step in all worlds."""
        if not self._begun:
            raise InputError("call reset() before step()")
        if self._disabled and self.worlds.over:
            world = self.worlds.done.argmax()
            raise InputError(
                f"the episode of world {world} is over: reset it with options={{'reset_mask': mask}}"
            )
        observation, reward, terms, terminated, truncated = self.worlds.step(actions)
        info: dict[str, Any] = terms | self._given_everywhere
        if self._same_step and self.worlds.over:
            self._add_last(info, terminated | truncated)
        return observation, reward, terminated, truncated, info

    def render(self) -> tuple[np.ndarray, ...]:
        """A picture of every world, with the `render_mode` "rgb_array"."""
        return tuple(self._pictures.take(world) for world in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is open."""

    def _add_last(self, info: dict[str, Any], done: np.ndarray) -> None:
        """What was seen at the end of the episodes that are over: the next ones have begun."""
        last = np.empty(self.num_envs, dtype=object)
        for world in done.nonzero()[0]:
            last[world] = self.worlds.last[world].astype(self.task.dtype)
        terms = {name: info[name].copy() for name in self.worlds.terms}
        info |= {
            "final_obs": last,
            "_final_obs": done,
            "final_info": terms | {f"_{name}": done.copy() for name in terms},
            "_final_info": done.copy(),
        }

    def _mask(self, options: dict[str, Any] | None) -> np.ndarray:
        mask = check_options(options, ("reset_mask",)).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, bool)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise InputError(f"reset_mask must be a boolean array of shape ({self.num_envs},)")
        if not self._begun:
            raise InputError("the first reset() is one of all worlds: leave reset_mask out")
        return mask

    def _seed(self, seed: int | list[int | None] | None, mask: np.ndarray) -> None:
        """Give the chosen worlds their seeds; without one they go on with theirs."""
        if seed is None:
            if self._begun:
                return
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
        if isinstance(seed, int):
            first = check_seed(seed)
            seeds: list[int | None] = [(first + i) % (1 << 64) for i in range(self.num_envs)]
        elif isinstance(seed, (Sequence, np.ndarray)) and len(seed) == self.num_envs:
            seeds = list(seed)
        else:
            raise InputError(f"the seed must be a whole number, or {self.num_envs} of them, not {seed!r}")
        chosen = [k for k in np.flatnonzero(mask) if seeds[k] is not None]
        self.worlds.seed(np.array(chosen, int), [seeds[k] for k in chosen])  # type: ignore[misc]
