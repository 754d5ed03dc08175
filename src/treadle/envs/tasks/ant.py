"""Ant: run forward on four legs. Observation and reward after Gymnasium's Ant-v5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import (
    asset,
    body_contact_forces,
    noisy_start,
    qpos,
    qvel,
    square_sum,
)
from treadle.graph import Scalar, clip, where

__all__ = ["TASK"]


def healthy(now: Situation) -> Any:
    """The torso is neither on the ground nor in the air."""
    height = qpos(now)[2]
    return (height >= 0.2) & (height <= 1.0)


def contact_forces(now: Situation) -> list[Scalar]:
    """Of all bodies, each number up to one."""
    links = [link.name for link in now.model.links]
    return [clip(x, -1.0, 1.0) for x in body_contact_forces(now, links)]


def observe(now: Situation) -> Sequence[Scalar]:
    """Positions without x and y, velocities, contact forces."""
    return [*qpos(now)[2:], *qvel(now), *contact_forces(now)]


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Forward speed, one for being healthy, less the costs of control and contact."""
    return {
        "reward_forward": (qpos(now)[0] - now.before[0]) / now.period,
        "reward_ctrl": -0.5 * square_sum(now.action),
        "reward_contact": -5e-4 * square_sum(contact_forces(now)),
        "reward_survive": where(healthy(now), 1.0, 0.0),
    }


TASK = Task(
    name="Ant",
    machine=lambda: asset("ant.xml"),
    start=noisy_start(0.1, 0.1, normal=True),
    observe=observe,
    reward=reward,
    terminated=lambda now: ~healthy(now),
    remember=lambda now: [qpos(now)[0]],
    action_low=(-1.0,) * 8,
    action_high=(1.0,) * 8,
    steps=5,
    options={"time_stepping": True},
)
