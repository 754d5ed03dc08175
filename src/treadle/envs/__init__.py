"""Environments for learning: tasks on built-in and Gymnasium's machines, one world or thousands at once.

    import gymnasium as gym
    import treadle.envs

    env = gym.make_vec("Treadle/Ant-v0", num_envs=1024)

Importing this package registers the tasks with Gymnasium; it needs `pip install 'treadle[learn]'`.
"""

from __future__ import annotations

from treadle.batch.situation import Situation
from treadle.envs.env import Env
from treadle.envs.randomization import Choice, LogUniform, Normal, Push, Randomization, Scaled, Uniform
from treadle.envs.register import register_task, register_tasks
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.envs.tasks import TASKS, find_task
from treadle.envs.vector_env import VectorEnv
from treadle.envs.worlds import TaskWorlds

__all__ = [
    "TASKS", "Begin", "Choice", "Env", "LogUniform", "Normal", "Push", "Randomization", "Scaled", "Situation",
    "Start", "Task", "TaskWorlds", "Uniform", "VectorEnv", "find_task", "register_task", "register_tasks",
]  # fmt: skip

register_tasks()
