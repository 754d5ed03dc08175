"""Registration with Gymnasium: "Treadle/<name>-v0", as a single environment and as a vector of them."""

from __future__ import annotations

import gymnasium as gym

from treadle.envs.task import Task
from treadle.envs.tasks import MODULES, find_task

__all__ = ["register_task", "register_tasks"]


def register_tasks() -> None:
    """Register the built-in tasks; none of their machines is loaded."""
    for name in MODULES:
        _register(f"Treadle/{name}-v0", name, find_task(name).max_episode_steps)


def register_task(task: Task) -> None:
    """Register a task of your own."""
    _register(task.id, task, task.max_episode_steps)


def _register(name: str, task: Task | str, steps: int) -> None:
    if name in gym.registry:
        return
    gym.register(
        id=name,
        entry_point="treadle.envs.env:Env",
        vector_entry_point="treadle.envs.vector_env:VectorEnv",
        max_episode_steps=steps,
        kwargs={"task": task},
    )
