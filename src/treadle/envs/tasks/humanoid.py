"""Humanoid: walk forward on two legs. Observation and reward after Gymnasium's Humanoid-v5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import (
    asset,
    body_contact_forces,
    joint_forces,
    noisy_start,
    qpos,
    qvel,
    square_sum,
    subtree_center,
)
from treadle.graph import Scalar, minimum, where

__all__ = ["TASK"]


def bodies(now: Situation) -> list[str]:
    """Those of the file; between the joints of one body there are massless links, with a / in their names."""
    return [link.name for link in now.model.links if "/" not in link.name]


def healthy(now: Situation) -> Any:
    """The torso is between one and two metres high."""
    height = qpos(now)[2]
    return (height > 1.0) & (height < 2.0)


def inertias(now: Situation) -> list[Scalar]:
    """MuJoCo's cinert: about the machine's centre of mass, in world axes, ten numbers per body.

    xx, yy, zz, xy, xz, yz of the inertia; mass times offset; mass.
    """
    center, found = subtree_center(now), []
    for name in bodies(now):
        link, pose = now.link(name), now.pose(name)
        offset = pose.translation + pose.rotation.apply(link.center) - center
        own = link.rotational.rotated(pose.rotation)
        x, y, z = offset
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = own.to_rows()
        m = link.mass
        found += [xx + m * (y * y + z * z), yy + m * (x * x + z * z), zz + m * (x * x + y * y)]
        found += [xy - m * x * y, xz - m * x * z, yz - m * y * z, m * x, m * y, m * z, m]
    return found


def velocities(now: Situation) -> list[Scalar]:
    """MuJoCo's cvel: angular velocity, and velocity of the point of the body at the centre of mass."""
    center, found = subtree_center(now), []
    for name in bodies(now):
        motion = now.velocity(name)
        there = motion.linear + motion.angular.cross(center - now.position(name))
        found += [*motion.angular, *there]
    return found


def observe(now: Situation) -> Sequence[Scalar]:
    """Positions without x and y, velocities, inertias, body velocities, motor torques, contact forces."""
    contact = body_contact_forces(now, bodies(now))
    return [*qpos(now)[2:], *qvel(now), *inertias(now), *velocities(now), *joint_forces(now)[6:], *contact]


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Forward speed of the centre of mass, five for standing, less the costs of control and contact."""
    contact = 5e-7 * square_sum(body_contact_forces(now, bodies(now)))
    return {
        "reward_survive": where(healthy(now), 5.0, 0.0),
        "reward_forward": 1.25 * (now.center_of_mass.x - now.before[0]) / now.period,
        "reward_ctrl": -0.1 * square_sum(now.action),
        "reward_contact": -minimum(contact, 10.0),
    }


TASK = Task(
    name="Humanoid",
    machine=lambda: asset("humanoid.xml"),
    start=noisy_start(1e-2, 1e-2),
    observe=observe,
    reward=reward,
    terminated=lambda now: ~healthy(now),
    remember=lambda now: [now.center_of_mass.x],
    action_low=(-0.4,) * 17,
    action_high=(0.4,) * 17,
    steps=5,
    options={"time_stepping": True},
)
