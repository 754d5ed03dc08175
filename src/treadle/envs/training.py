"""Train a policy with PPO of stable-baselines3, and keep the learning curve."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treadle.envs.tasks import find_task
from treadle.errors import InputError

__all__ = ["Training", "train"]

#: Settings of PPO that differ from those of stable-baselines3, by task.
_SETTINGS: dict[str, dict[str, Any]] = {
    "CartPole": {
        "n_steps": 32, "batch_size": 256, "gae_lambda": 0.8, "gamma": 0.98, "n_epochs": 20, "ent_coef": 0.0,
        "learning_rate": 1e-3, "clip_range": 0.2,
    },
}  # fmt: skip
_USUAL: dict[str, Any] = {
    "n_steps": 64, "batch_size": 1024, "gamma": 0.99, "gae_lambda": 0.95, "n_epochs": 5, "ent_coef": 0.0,
    "learning_rate": 3e-4, "clip_range": 0.2,
}  # fmt: skip


@dataclass
class Training:
    """A policy and how it was learned: steps, mean return of the last hundred episodes, seconds."""

    policy: Any
    curve: list[tuple[int, float, float]] = field(default_factory=list)

    def save(self, folder: Path) -> None:
        """The policy as policy.zip, the curve as curve.csv."""
        folder.mkdir(parents=True, exist_ok=True)
        self.policy.save(folder / "policy.zip")
        with open(folder / "curve.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["steps", "mean_return", "seconds"])
            writer.writerows(self.curve)


def train(
    task: str,
    steps: int,
    envs: int = 64,
    seed: int = 0,
    threads: int | None = None,
    report: Callable[[float, str], None] = lambda done, text: None,
) -> Training:
    """Learn a task with so many environment steps."""
    try:
        from stable_baselines3 import PPO  # type: ignore[import-not-found]
        from stable_baselines3.common.callbacks import BaseCallback  # type: ignore[import-not-found]
    except ImportError:
        raise InputError("training needs stable-baselines3: pip install 'treadle[learn,train]'") from None
    from treadle.envs.stable_baselines import StableVecEnv

    found = find_task(task)
    worlds = StableVecEnv(found, envs, threads=threads)
    settings = _SETTINGS.get(found.name, _USUAL)
    policy = PPO("MlpPolicy", worlds, seed=seed, device="cpu", verbose=0, **settings)
    training, started = Training(policy), time.perf_counter()

    class Progress(BaseCallback):
        """Hears of every round."""

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
            mean = float(np.mean(returns)) if returns else float("nan")
            training.curve.append((self.num_timesteps, mean, time.perf_counter() - started))
            report(min(1.0, self.num_timesteps / steps), f"{found.name}: mean return {mean:.1f}")

    policy.learn(steps, callback=Progress())
    return training
