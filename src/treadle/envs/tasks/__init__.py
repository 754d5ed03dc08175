"""The built-in tasks, one file each."""

from __future__ import annotations

import importlib
from functools import cache

from treadle.envs.task import Task
from treadle.errors import InputError
from treadle.model.model import suggest

__all__ = ["MODULES", "TASKS", "builtin", "find_task"]

#: Tasks by name, with the module that has each.
MODULES = {
    "CartPole": "cart_pole",
    "Reacher": "reacher",
    "HalfCheetah": "half_cheetah",
    "Hopper": "hopper",
    "Walker2d": "walker2d",
    "Ant": "ant",
    "Humanoid": "humanoid",
    "ANYmal": "anymal",
    "Rover": "rover",
    "Roadheader": "roadheader",
    "Gripper": "gripper",
}

#: Their names.
TASKS = tuple(MODULES)


def find_task(task: Task | str) -> Task:
    """A task by its name, or itself."""
    if isinstance(task, Task):
        return task
    if task not in MODULES:
        raise InputError(f"there is no task {task!r}; {suggest(task, list(MODULES))}")
    return _load(task)


@cache
def _load(name: str) -> Task:
    return importlib.import_module(f"treadle.envs.tasks.{MODULES[name]}").TASK


def builtin(task: Task) -> bool:
    """Whether a task is one of these, which its name finds."""
    return task.name in MODULES and _load(task.name) is task
