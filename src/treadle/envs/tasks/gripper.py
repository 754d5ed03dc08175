"""Gripper: take a box from the ground and lift it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.batch.situation import Situation
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.graph import Scalar, clip, sqrt
from treadle.scenes import scene

__all__ = ["TASK"]

#: How far (m) the box is off its place at most, and how high (m) it counts at most.
_OFF, _HIGHEST = 0.02, 0.2


def start(begin: Start) -> Begin:
    """The box a little off its place; what is remembered of it is its height there."""
    q: list[Scalar] = list(begin.q)
    place = begin.model.joint(_free(begin)).q
    q[place.start + 4] = q[place.start + 4] + begin.uniform(-_OFF, _OFF)
    q[place.start + 5] = q[place.start + 5] + begin.uniform(-_OFF, _OFF)
    return Begin(q, begin.v, [q[place.start + 6]])


def observe(now: Situation) -> Sequence[Scalar]:
    """Positions and velocities of the machine, and the way from the palm to the box."""
    gap = now.position("box") - now.position("palm")
    return [*now.q, *now.v, *gap]


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Being near the box, and how high it is above its place."""
    gap = now.position("box") - now.position("palm")
    raised = clip(now.position("box").z - now.variables[0], 0.0, _HIGHEST)
    return {
        "reward_near": -0.1 * sqrt(gap.x * gap.x + gap.y * gap.y + gap.z * gap.z),
        "reward_lift": 10.0 * raised,
    }


def command(now: Situation) -> Sequence[Scalar]:
    """Each action spans the range of its actuator."""
    found = []
    for action, actuator in zip(now.action, now.model.actuators, strict=True):
        low, high = actuator.lower or 0.0, actuator.upper or 0.0
        found.append(low + 0.5 * (clip(action, -1.0, 1.0) + 1.0) * (high - low))
    return found


def _free(begin: Start) -> str:
    return next(joint.name for joint in begin.model.joints if joint.type.kind == "free")


TASK = Task(
    name="Gripper",
    machine=lambda: scene("gripper"),
    start=start,
    observe=observe,
    reward=reward,
    command=command,
    action_low=(-1.0,) * 3,
    action_high=(1.0,) * 3,
    steps=5,
    max_episode_steps=120,
)
