"""Roadheader: bring the cutting head to a target by its hydraulic cylinders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from treadle.batch.situation import Situation
from treadle.dynamics.compiled import frame_pose
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.graph import Scalar, sqrt
from treadle.scenes import scene
from treadle.spatial import Vec3

__all__ = ["TASK"]

#: Targets are so far (m) from where the head starts, at most: forward, sideways, up.
_REACH = (0.3, 1.2, 0.8)

#: Cylinders by action: swing, lift, extend; the two of a swing work against each other.
_CYLINDERS = {
    "slew_left": (0, -1.0), "slew_right": (0, 1.0), "lift_left": (1, 1.0), "lift_right": (1, 1.0),
    "extend": (2, 1.0),
}  # fmt: skip


@cache
def head() -> list[float]:
    """Where the head starts (m)."""
    model = scene("roadheader")
    return frame_pose(model, model.initial()[0], "cutting_head")[:3, 3].tolist()


def start(begin: Start) -> Begin:
    """The machine at rest; a target around the head, as an offset from where it starts."""
    return Begin(begin.q, begin.v, [begin.uniform(-x, x) for x in _REACH])


def gap(now: Situation) -> Vec3:
    """From the head to the target (m)."""
    x, y, z = head()
    dx, dy, dz = now.variables
    return Vec3(x + dx, y + dy, z + dz) - now.position("cutting_head")


def observe(now: Situation) -> Sequence[Scalar]:
    """The gap, velocity of the head, and what the valves of the last step were told."""
    return [*gap(now), *now.velocity("cutting_head").linear, *now.action]


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Distance and control, both as costs."""
    away = gap(now)
    return {
        "reward_dist": -sqrt(away.x * away.x + away.y * away.y + away.z * away.z),
        "reward_ctrl": -0.01 * sum((x * x for x in now.action), start=0.0),
    }


def command(now: Situation) -> Sequence[Scalar]:
    """Valves of the cylinders; everything else rests."""
    found: list[Scalar] = []
    for actuator in now.model.actuators:
        place, sign = _CYLINDERS.get(actuator.name, (0, 0.0))
        found.append(sign * now.action[place] if sign else 0.0)
    return found


TASK = Task(
    name="Roadheader",
    machine=lambda: scene("roadheader"),
    start=start,
    observe=observe,
    reward=reward,
    command=command,
    action_low=(-1.0,) * 3,
    action_high=(1.0,) * 3,
    steps=50,
    max_episode_steps=200,
    options={"contact": False},
)
