"""A task as the vector environment of stable-baselines3: `PPO("MlpPolicy", StableVecEnv("Ant", 64))`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv  # type: ignore[import-not-found]

from treadle.envs.task import Task
from treadle.envs.vector_env import VectorEnv

__all__ = ["StableVecEnv"]


class StableVecEnv(VecEnv):
    """Worlds of a task that begin the next episode in the step that ends the last; options of `VectorEnv`.

    Infos have "terminal_observation", "TimeLimit.truncated" and, at the end of an episode, "episode" with its
    return "r", its length "l" and the time "t".
    """

    def __init__(self, task: Task | str, num_envs: int, **options: Any) -> None:
        self.env = VectorEnv(num_envs, task, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)
        self.render_mode = None
        self._actions: np.ndarray | None = None
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, int)

    def reset(self) -> np.ndarray:
        """Begin an episode in all worlds."""
        seeds = [seed for seed in self._seeds if seed is not None]
        observation, _ = self.env.reset(seed=list(self._seeds) if seeds else None)
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0.0, 0
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the step."""
        assert self._actions is not None
        observation, reward, terminated, truncated, info = self.env.step(self._actions)
        done = terminated | truncated
        self._returns += reward
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        time = float(self.env.worlds.batch.steps) * self.env.worlds.period / self.env.task.steps
        for k in np.flatnonzero(done):
            infos[k] = {
                "terminal_observation": info["final_obs"][k],
                "TimeLimit.truncated": bool(truncated[k] and not terminated[k]),
                "episode": {"r": float(self._returns[k]), "l": int(self._lengths[k]), "t": time},
            }
        self._returns[done], self._lengths[done] = 0.0, 0
        return observation, reward.astype(np.float32), done, infos

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environment, the same for all worlds."""
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environment, for all worlds alike."""
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the environment once; what it gives is the same for all worlds."""
        given = getattr(self.env, method_name)(*args, **kwargs)
        return [given] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """No world is wrapped, but episodes are counted as a Monitor does."""
        return [False] * len(list(self._get_indices(indices)))

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds of the worlds at the next reset."""
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._seeds = [seed + k for k in range(self.num_envs)]
        return self._seeds
