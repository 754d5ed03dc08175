"""Plan a task instead of learning it: candidates of actions, simulated in worlds of the task itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.envs.task import Task
from treadle.envs.tasks import find_task
from treadle.envs.worlds import TaskWorlds
from treadle.errors import InputError
from treadle.model.model import Model
from treadle.planning.plan import Plan
from treadle.planning.sampling import CEM, MPPI, RandomShooting, SamplingPlanner
from treadle.sim.checks import check_choice, check_count

__all__ = ["PLANNERS", "Drive", "TaskRollouts", "base_position", "plan_task"]

#: Sampling planners by name.
PLANNERS: dict[str, type[SamplingPlanner]] = {"mppi": MPPI, "cem": CEM, "random": RandomShooting}


class TaskRollouts:
    """Actions held over `pieces` of a horizon (s), in worlds of a task; as `Rollouts` for a cost."""

    def __init__(
        self, task: Task, candidates: int, horizon: float, pieces: int, threads: int | None = None
    ) -> None:
        self.worlds = TaskWorlds(task, check_count("candidates", candidates), threads)
        self.candidates, self.pieces = candidates, check_count("pieces", pieces)
        period = self.worlds.period
        self._repeats = round(horizon / pieces / period)
        if self._repeats < 1:
            raise InputError(
                f"a piece of {horizon / pieces:g} s is shorter than a control step of {period:g} s"
            )
        #: length of a piece (s)
        self.piece = self._repeats * period
        self._base = base_position(self.worlds.batch.model)

    def costs(
        self, q: ArrayLike, v: ArrayLike, controls: np.ndarray, goal: ArrayLike = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Less the sum of rewards (candidates) of controls (candidates, pieces, n) from one state.

        `goal` are the variables of the episode. An episode that ends gives nothing more. Watched are the
        positions (candidates, pieces, 3) of a machine with a floating base.
        """
        worlds = self.worlds
        worlds.batch.reset(q=q, v=v)
        worlds.variables[:] = np.asarray(goal, dtype=float)
        worlds.look()
        total, runs = np.zeros(self.candidates), np.ones(self.candidates, bool)
        watched = np.zeros((self.candidates, self.pieces, 3 if self._base else 0))
        for k in range(self.pieces):
            actions = as_actions(worlds.task, controls[:, k])
            for _ in range(self._repeats):
                seen = worlds.step(actions)
                total -= np.where(runs, seen.reward, 0.0)
                runs &= ~seen.terminated
            if self._base:
                watched[:, k] = worlds.batch.q[:, self._base]
        return total, watched


def base_position(model: Model) -> slice | None:
    """Where the positions of a machine have that of its floating base; None without one."""
    root = next((joint for joint in model.joints if joint.type.kind == "free"), None)
    return None if root is None else slice(root.q.start + 4, root.q.start + 7)


def as_actions(task: Task, controls: np.ndarray) -> np.ndarray:
    """Actions of controls (n, numbers); the nearest of discrete ones."""
    return np.rint(controls[:, 0]).astype(int) if task.discrete is not None else controls


@dataclass
class Drive:
    """An episode that was planned: the reward of every control step, seconds per plan, how it ended."""

    rewards: list[float]
    plan_seconds: list[float]
    terminated: bool
    period: float

    def rows(self) -> list[dict[str, Any]]:
        """A record per control step."""
        return [
            {"time": (k + 1) * self.period, "reward": reward, "plan_ms": 1e3 * seconds}
            for k, (reward, seconds) in enumerate(zip(self.rewards, self.plan_seconds, strict=True))
        ]


def plan_task(
    name: Task | str,
    planner: str = "mppi",
    seconds: float = 5.0,
    candidates: int = 256,
    horizon: float = 0.5,
    pieces: int = 10,
    seed: int = 0,
    threads: int | None = None,
    report: Callable[[float, str], None] = lambda done, text: None,
    watch: Callable[[TaskWorlds, Plan], None] | None = None,
) -> Drive:
    """Drive one world of a task, with a plan at every control step.

    `watch` is called with each plan before it acts; who watches sees the next episode when one is over.
    """
    check_choice("planner", planner, tuple(PLANNERS))
    task = find_task(name)
    low, high = (0.0, task.discrete - 1.0) if task.discrete is not None else task.bounds()
    low, high = (np.broadcast_to(np.asarray(x, dtype=float), task.action_size) for x in (low, high))
    rollouts = TaskRollouts(task, candidates, horizon, pieces, threads)
    planning = PLANNERS[planner](
        rollouts,
        None,
        low=low.tolist(),
        high=high.tolist(),
        spread=(0.3 * (high - low)).tolist(),
        seed=seed,
    )
    world = TaskWorlds(task, 1, 1)
    world.seed(np.array([0]), [seed])
    world.begin(np.array([0]))
    drive = Drive([], [], False, world.period)
    steps = max(1, round(seconds / world.period))
    steps = steps if watch is not None else min(steps, task.max_episode_steps)
    for k in range(steps):
        started = time.perf_counter()
        plan = planning.plan(
            world.batch.q[0], world.batch.v[0], world.variables[0], elapsed=world.period if k else 0.0
        )
        drive.plan_seconds.append(time.perf_counter() - started)
        if watch is not None:
            watch(world, plan)
        seen = world.step(as_actions(task, plan.controls[:1]))
        drive.rewards.append(float(seen.reward[0]))
        drive.terminated = bool(seen.terminated[0])
        report((k + 1) / steps, f"{task.name}: return {sum(drive.rewards):.1f}")
        if drive.terminated or world.taken[0] >= task.max_episode_steps:
            if watch is None:
                break
            world.begin(np.array([0]))
            planning.restart()
    return drive
