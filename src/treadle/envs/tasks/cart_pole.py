"""CartPole: keep a pole on a cart upright. The machine, observation and reward of Gymnasium's CartPole-v1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.graph import Scalar
from treadle.model import Model, ModelSpec

__all__ = ["TASK"]

_CART, _POLE, _HALF_LENGTH, _FORCE = 1.0, 0.1, 0.5, 10.0
_FARTHEST, _STEEPEST = 2.4, math.radians(12.0)


@cache
def machine() -> Model:
    """A cart on a rail with a uniform rod on it."""
    spec = ModelSpec("cart-pole", gravity=(0.0, 0.0, -9.8))
    spec.add_body("cart", _CART, inertia=(1.0, 1.0, 1.0))
    across = _POLE * (2.0 * _HALF_LENGTH) ** 2 / 12.0
    spec.add_body("pole", _POLE, center=(0.0, 0.0, _HALF_LENGTH), inertia=(across, across, 1e-6))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_joint("hinge", "revolute", "cart", "pole", axis=(0, 1, 0))
    spec.add_shape("cart", "cart", "box", (0.4, 0.25, 0.2), color=(0.25, 0.45, 0.65, 1.0))
    spec.add_shape(
        "pole", "pole", "capsule", (0.03, 2.0 * _HALF_LENGTH), position=(0.0, 0.0, _HALF_LENGTH),
        color=(0.95, 0.68, 0.08, 1.0),
    )  # fmt: skip
    spec.add_shape("rail", None, "box", (2.0 * _FARTHEST, 0.04, 0.04), color=(0.55, 0.60, 0.62, 1.0))
    spec.add_actuator("push", "motor", "rail", gain=_FORCE, lower=-1.0, upper=1.0)
    return spec.compile()


def start(begin: Start) -> Begin:
    """Everything within 0.05."""
    numbers = [begin.uniform(-0.05, 0.05) for _ in range(4)]
    return Begin([numbers[0], numbers[2]], [numbers[1], numbers[3]])


def observe(now: Situation) -> Sequence[Scalar]:
    """Position and velocity of the cart, angle and rate of the pole."""
    return [now.q[0], now.v[0], now.q[1], now.v[1]]


def fallen(now: Situation) -> Any:
    """The cart left the rail, or the pole leans by more than 12 degrees."""
    return (abs(now.q[0]) > _FARTHEST) | (abs(now.q[1]) > _STEEPEST)


def reward(now: Situation) -> Mapping[str, Scalar]:
    """One per step."""
    return {"reward_survive": 1.0}


TASK = Task(
    name="CartPole",
    machine=machine,
    start=start,
    observe=observe,
    reward=reward,
    terminated=fallen,
    command=lambda now: [2.0 * now.action[0] - 1.0],
    discrete=2,
    observation_high=(2.0 * _FARTHEST, math.inf, 2.0 * _STEEPEST, math.inf),
    dtype="float32",
    dt=0.02,
    max_episode_steps=500,
    options={"integrator": "explicit_euler"},
)
