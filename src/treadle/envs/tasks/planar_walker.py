"""What Gymnasium's Hopper and Walker2d share: observation, reward, and an end where they fall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import asset, noisy_start, qpos, qvel, square_sum
from treadle.graph import Scalar, clip, where

__all__ = ["planar_walker"]


def planar_walker(name: str, file: str, motors: int, healthy: Callable[[Situation], Any]) -> Task:
    """The task of a machine in the plane that is to get forward and stay healthy."""

    def observe(now: Situation) -> Sequence[Scalar]:
        """Positions without the distance, velocities up to 10."""
        return [*qpos(now)[1:], *[clip(x, -10.0, 10.0) for x in qvel(now)]]

    def reward(now: Situation) -> Mapping[str, Scalar]:
        """Forward speed less the control cost, and one for not falling."""
        return {
            "reward_forward": (qpos(now)[0] - now.before[0]) / now.period,
            "reward_ctrl": -1e-3 * square_sum(now.action),
            "reward_survive": where(healthy(now), 1.0, 0.0),
        }

    return Task(
        name=name,
        machine=lambda: asset(file),
        start=noisy_start(5e-3, 5e-3),
        observe=observe,
        reward=reward,
        terminated=lambda now: ~healthy(now),
        remember=lambda now: [qpos(now)[0]],
        action_low=(-1.0,) * motors,
        action_high=(1.0,) * motors,
        steps=4,
        options={"time_stepping": True},
    )
