"""Reacher: bring the fingertip to a target. Observation and reward after Gymnasium's Reacher-v5."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from treadle.batch.situation import Situation
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import asset, qpos, qvel, square_sum
from treadle.graph import Scalar, cos, sin, sqrt
from treadle.spatial import Vec3

__all__ = ["TASK"]


def start(begin: Start) -> Begin:
    """A target somewhere in the circle of 0.2 m, and the arm nearly stretched out."""
    angle, radius = begin.uniform(-math.pi, math.pi), 0.2 * sqrt(begin.uniform())
    q = [x + begin.uniform(-0.1, 0.1) for x in begin.q[:2]]
    v = [x + begin.uniform(-0.005, 0.005) for x in begin.v[:2]]
    return Begin([*q, radius * cos(angle), radius * sin(angle)], [*v, 0.0, 0.0])


def gap(now: Situation) -> Vec3:
    """From the target to the fingertip."""
    return now.position("fingertip") - now.position("target")


def observe(now: Situation) -> Sequence[Scalar]:
    """Angles of the arm as cosines and sines, the target, velocities of the arm, the gap."""
    position, away = qpos(now), gap(now)
    angles = position[:2]
    return [
        *[cos(x) for x in angles], *[sin(x) for x in angles], *position[2:], *qvel(now)[:2], away.x, away.y
    ]  # fmt: skip


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Distance and control, both as costs."""
    return {"reward_dist": -sqrt(square_sum([*gap(now)])), "reward_ctrl": -square_sum(now.action)}


TASK = Task(
    name="Reacher",
    machine=lambda: asset("reacher.xml"),
    start=start,
    observe=observe,
    reward=reward,
    action_low=(-1.0,) * 2,
    action_high=(1.0,) * 2,
    steps=2,
    max_episode_steps=50,
)
