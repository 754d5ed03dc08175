"""Train a policy with PPO of stable-baselines3, and keep the learning curve."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treadle.envs.task import Task
from treadle.envs.tasks import find_task
from treadle.errors import InputError
from treadle.extras import require

__all__ = ["Training", "TrainingSettings", "settings_of", "train"]


@dataclass(frozen=True)
class TrainingSettings:
    """How a task is learned: worlds, environment steps, arguments of PPO and of its policy."""

    envs: int = 64
    steps: int = 1_000_000
    #: divide observations and rewards by their standard deviations so far
    normalized: bool = True
    ppo: dict[str, Any] = field(default_factory=dict)
    policy: dict[str, Any] = field(default_factory=dict)


_USUAL = TrainingSettings(
    ppo={
        "n_steps": 128, "batch_size": 2048, "gamma": 0.99, "gae_lambda": 0.95, "n_epochs": 5,
        "ent_coef": 0.0, "learning_rate": 5e-4, "clip_range": 0.2,
    },
    # exploration that does not throw legged machines over at once
    policy={"log_std_init": -1.0, "net_arch": [64, 64]},
)  # fmt: skip

#: Settings by task, where they are not the usual ones.
_SETTINGS = {
    "CartPole": TrainingSettings(
        envs=32,
        steps=150_000,
        normalized=False,
        ppo={
            "n_steps": 32, "batch_size": 256, "gae_lambda": 0.8, "gamma": 0.98, "n_epochs": 20,
            "ent_coef": 0.0, "learning_rate": 1e-3, "clip_range": 0.2,
        },
    ),
    "Ant": TrainingSettings(steps=1_500_000, ppo=_USUAL.ppo, policy=_USUAL.policy),
}  # fmt: skip

_POLICY, _NORMALIZATION, _CURVE = "policy.zip", "normalization.pkl", "curve.csv"


def settings_of(task: Task | str) -> TrainingSettings:
    """How a task is learned unless something else is asked for."""
    return _SETTINGS.get(find_task(task).name, _USUAL)


@dataclass
class Training:
    """A policy, the worlds that it learned in, and its curve: steps, mean return, seconds.

    The mean is that of the last hundred episodes, with the exploration of learning.
    """

    policy: Any
    worlds: Any
    task: Task
    curve: list[tuple[int, float, float]] = field(default_factory=list)
    #: CPU time of all threads (s)
    cpu_seconds: float = 0.0

    def save(self, folder: Path) -> None:
        """policy.zip, curve.csv, and normalization.pkl where observations were normalized."""
        folder.mkdir(parents=True, exist_ok=True)
        self.policy.save(folder / _POLICY)
        if _normalizes(self.worlds):
            self.worlds.save(str(folder / _NORMALIZATION))
        with open(folder / _CURVE, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["steps", "mean_return", "seconds"])
            writer.writerows(self.curve)

    def returns(self, episodes: int = 20, seed: int = 1000) -> np.ndarray:
        """Returns of episodes with other seeds than those of the training, without exploration."""
        worlds = self._fresh(episodes, seed)
        totals, running = np.zeros(episodes), np.ones(episodes, bool)
        observation = worlds.reset()
        while running.any():
            actions, _ = self.policy.predict(self._seen(observation), deterministic=True)
            observation, reward, done, _ = worlds.step(actions)
            totals += reward * running
            running &= ~done
        return totals

    def motion(self, seconds: float, seed: int = 1000) -> np.ndarray:
        """(control steps, nq) of an episode without exploration."""
        worlds = self._fresh(1, seed)
        observation, batch = worlds.reset(), worlds.env.worlds.batch
        positions = [batch.q[0].copy()]
        for _ in range(round(seconds / worlds.env.worlds.period)):
            actions, _ = self.policy.predict(self._seen(observation), deterministic=True)
            observation, _, done, _ = worlds.step(actions)
            if done[0]:
                break
            positions.append(batch.q[0].copy())
        return np.array(positions)

    def _fresh(self, count: int, seed: int) -> Any:
        from treadle.envs.stable_baselines import StableVecEnv

        worlds = StableVecEnv(self.task, count)
        worlds.seed(seed)
        return worlds

    def _seen(self, observation: np.ndarray) -> np.ndarray:
        return self.worlds.normalize_obs(observation) if _normalizes(self.worlds) else observation


def train(
    task: Task | str,
    steps: int | None = None,
    envs: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    start: Path | None = None,
    report: Callable[[float, str], None] = lambda done, text: None,
) -> Training:
    """Learn a task with so many environment steps, or go on with the policy in a folder."""
    require("stable_baselines3", "training")
    from stable_baselines3 import PPO  # type: ignore[import-not-found]

    from treadle.envs.stable_baselines import StableVecEnv

    found, usual = find_task(task), settings_of(task)
    steps = usual.steps if steps is None else steps
    if steps < 0 or (steps == 0 and start is None):
        raise InputError("training needs at least one step")
    worlds: Any = StableVecEnv(found, usual.envs if envs is None else envs, threads=threads)
    if usual.normalized:
        worlds = _normalized(worlds, usual, start)
    if start is None:
        policy = PPO(
            "MlpPolicy", worlds, seed=seed, device="cpu", verbose=0, policy_kwargs=usual.policy, **usual.ppo
        )
    else:
        policy = PPO.load(_existing(start / _POLICY), worlds, device="cpu")
        policy.set_random_seed(seed)
    training = Training(policy, worlds, found)
    if steps:
        started = time.process_time()
        with _one_thread():
            policy.learn(steps, callback=_progress(training, steps, report))
        training.cpu_seconds = time.process_time() - started
    return training


@contextmanager
def _one_thread() -> Iterator[None]:
    """Networks as small as these gain nothing from threads, which take turns spinning where others work."""
    import torch  # type: ignore[import-not-found]

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _normalizes(worlds: Any) -> bool:
    return hasattr(worlds, "normalize_obs")


def _normalized(worlds: Any, usual: TrainingSettings, start: Path | None) -> Any:
    from stable_baselines3.common.vec_env import VecNormalize  # type: ignore[import-not-found]

    if start is None:
        return VecNormalize(worlds, gamma=usual.ppo["gamma"])
    return VecNormalize.load(str(_existing(start / _NORMALIZATION)), worlds)


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"there is no {path}: name the folder that an earlier training wrote")
    return path


def _progress(training: Training, steps: int, report: Callable[[float, str], None]) -> Any:
    from stable_baselines3.common.callbacks import BaseCallback  # type: ignore[import-not-found]

    started = time.perf_counter()

    class Progress(BaseCallback):
        """Hears of every round."""

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
            mean = float(np.mean(returns)) if returns else float("nan")
            training.curve.append((self.num_timesteps, mean, time.perf_counter() - started))
            text = "no episode has ended yet" if not returns else f"mean return {mean:.1f}"
            report(min(1.0, self.num_timesteps / steps), f"{training.task.name}: {text}")

    return Progress()
