"""Rover: Rocky 7 drives to a goal over hills. Actions are speed and curvature."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.graph import Scalar, atan2, cos, sin, sqrt, where
from treadle.scenes import scene
from treadle.scenes.rovers.rocky7 import SINKAGE, ackermann
from treadle.spatial import Vec3
from treadle.terrain import Grid, random_grid

__all__ = ["TASK"]

#: Fastest speed (m/s) and largest curvature (1/m).
_SPEED, _CURVATURE = 0.6, 1.2
#: The goal is reached so near (m); the rover has tipped over beyond this lean (rad).
_NEAR, _TIPPED = 0.3, 1.0
#: Where the ground is looked at, ahead of the rover and to its left (m).
_LOOK = [(x, y) for x in (0.4, 0.8, 1.2) for y in (-0.4, 0.0, 0.4)]


@cache
def ground() -> Grid:
    """Hills of 30 m x 30 m."""
    return random_grid((30.0, 30.0), 0.1, roughness=0.12, correlation=1.0, seed=5, friction=0.8)


def start(begin: Start) -> Begin:
    """Somewhere with any heading; the goal is 2 m to 5 m away."""
    x, y = begin.uniform(-8.0, 8.0), begin.uniform(-8.0, 8.0)
    heading, angle = begin.uniform(-math.pi, math.pi), begin.uniform(-math.pi, math.pi)
    distance = begin.uniform(2.0, 5.0)
    height = begin.q[6] + ground().height(x, y) + SINKAGE
    q = [cos(0.5 * heading), 0.0, 0.0, sin(0.5 * heading), x, y, height, *begin.q[7:]]
    return Begin(q, begin.v, [x + distance * cos(angle), y + distance * sin(angle)])


def distance(now: Situation) -> Scalar:
    """From the goal (m)."""
    place, (x, y) = now.position("body"), now.variables
    return sqrt((place.x - x) * (place.x - x) + (place.y - y) * (place.y - y))


def observe(now: Situation) -> Sequence[Scalar]:
    """In the rover's heading: the goal, velocities, the vertical, and the ground ahead."""
    pose, motion = now.pose("body"), now.velocity("body")
    rows, place = pose.rotation.to_rows(), pose.translation
    heading = atan2(rows[1][0], rows[0][0])
    c, s = cos(heading), sin(heading)
    dx, dy = now.variables[0] - place.x, now.variables[1] - place.y
    ahead = [ground().height(place.x + c * x - s * y, place.y + s * x + c * y) - place.z for x, y in _LOOK]
    speed = motion.linear
    return [
        c * dx + s * dy, c * dy - s * dx, c * speed.x + s * speed.y, c * speed.y - s * speed.x, speed.z,
        *pose.rotation.T.apply(motion.angular), *rows[2], *ahead,
    ]  # fmt: skip


def upright(now: Situation) -> Any:
    """It has not tipped over."""
    return now.pose("body").rotation.apply(Vec3(0.0, 0.0, 1.0)).z > math.cos(_TIPPED)


def reward(now: Situation) -> Mapping[str, Scalar]:
    """What the goal came nearer, ten for reaching it, less ten for tipping over."""
    return {
        "reward_progress": now.before[0] - distance(now),
        "reward_goal": where(distance(now) < _NEAR, 10.0, 0.0),
        "reward_tipped": where(upright(now), 0.0, -10.0),
    }


TASK = Task(
    name="Rover",
    machine=lambda: scene("rocky7"),
    start=start,
    observe=observe,
    reward=reward,
    terminated=lambda now: (distance(now) < _NEAR) | ~upright(now),
    remember=lambda now: [distance(now)],
    command=lambda now: ackermann(_SPEED * now.action[0], _CURVATURE * now.action[1]),
    action_low=(-1.0, -1.0),
    action_high=(1.0, 1.0),
    steps=5,
    max_episode_steps=150,
    options={"terrain": ground()},
)
