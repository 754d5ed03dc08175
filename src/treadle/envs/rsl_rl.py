"""A task as the vector environment of rsl_rl: `OnPolicyRunner(RslVecEnv("ANYmal", 1024), settings, ...)`.

skrl needs no adapter: its `wrap_env` takes `VectorEnv` as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from gymnasium.vector import AutoresetMode
from rsl_rl.env import VecEnv  # type: ignore[import-not-found]
from tensordict import TensorDict  # type: ignore[import-not-found]

from treadle.envs.task import Task
from treadle.envs.vector_env import VectorEnv
from treadle.errors import InputError

__all__ = ["RslVecEnv"]


class RslVecEnv(VecEnv):
    """Worlds of a task that begin the next episode in the step that ends the last; options of `VectorEnv`.

    There is one group of observations, "policy"; actions beyond their bounds count as the bounds.
    """

    def __init__(self, task: Task | str, num_envs: int, seed: int = 0, **options: Any) -> None:
        self.env = VectorEnv(num_envs, task, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        if self.env.task.discrete is not None:
            raise InputError(f"rsl_rl has continuous actions, which {self.env.task.name} has not")
        self._low, self._high = self.env.task.bounds()
        self.num_envs, self.num_actions = num_envs, self.env.task.action_size
        self.max_episode_length = self.env.max_episode_steps
        self.device, self.cfg = "cpu", {"task": self.env.task.name}
        self.episode_length_buf = torch.zeros(num_envs, dtype=torch.long)
        self._observation, _ = self.env.reset(seed=seed)

    def get_observations(self) -> TensorDict:
        """What is seen now."""
        return self._tensors(self._observation)

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Take a control step in all worlds."""
        given = np.clip(actions.detach().cpu().numpy(), self._low, self._high)
        self._observation, reward, terminated, truncated, info = self.env.step(given)
        done = torch.from_numpy(terminated | truncated)
        self.episode_length_buf += 1
        self.episode_length_buf[done] = 0
        extras = {
            "time_outs": torch.from_numpy(truncated & ~terminated),
            "log": {f"/{name}": float(info[name].mean()) for name in self.env.worlds.terms},
        }
        return self._tensors(self._observation), torch.from_numpy(reward).float(), done, extras

    def _tensors(self, observation: np.ndarray) -> TensorDict:
        seen = torch.from_numpy(np.ascontiguousarray(observation)).float()
        return TensorDict({"policy": seen}, batch_size=[self.num_envs])
