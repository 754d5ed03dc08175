"""HalfCheetah: run forward. Observation and reward after Gymnasium's HalfCheetah-v5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.batch.situation import Situation
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import asset, noisy_start, qpos, qvel, square_sum
from treadle.graph import Scalar

__all__ = ["TASK"]


def observe(now: Situation) -> Sequence[Scalar]:
    """Positions without the distance, velocities."""
    return [*qpos(now)[1:], *qvel(now)]


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Forward speed less the control cost."""
    return {
        "reward_forward": (qpos(now)[0] - now.before[0]) / now.period,
        "reward_ctrl": -0.1 * square_sum(now.action),
    }


TASK = Task(
    name="HalfCheetah",
    machine=lambda: asset("half_cheetah.xml"),
    start=noisy_start(0.1, 0.1, normal=True),
    observe=observe,
    reward=reward,
    remember=lambda now: [qpos(now)[0]],
    action_low=(-1.0,) * 6,
    action_high=(1.0,) * 6,
    steps=5,
    options={"time_stepping": True},
)
