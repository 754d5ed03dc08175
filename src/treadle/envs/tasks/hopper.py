"""Hopper: hop forward without falling. Observation and reward after Gymnasium's Hopper-v5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import asset, noisy_start, qpos, qvel, square_sum
from treadle.graph import Scalar, clip, where

__all__ = ["TASK"]


def healthy(now: Situation) -> Any:
    """Upright, and no number of the state beyond 100."""
    position, velocity = qpos(now), qvel(now)
    good: Any = (position[1] > 0.7) & (abs(position[2]) < 0.2)
    for x in [*position[2:], *velocity]:
        good = good & (abs(x) < 100.0)
    return good


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


TASK = Task(
    name="Hopper",
    machine=lambda: asset("hopper.xml"),
    start=noisy_start(5e-3, 5e-3),
    observe=observe,
    reward=reward,
    terminated=lambda now: ~healthy(now),
    remember=lambda now: [qpos(now)[0]],
    action_low=(-1.0,) * 3,
    action_high=(1.0,) * 3,
    steps=4,
)
