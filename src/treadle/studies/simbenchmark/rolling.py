"""Rolling: 150 N push a box of 10 kg over the ground, with 25 balls of 1 kg on it.

The box slides with a friction of 0.4. The balls roll without slip, with one of 0.8, so that with n balls of
mass m on a box of mass M

    f2 = (F - f1) / M / (3.5 / m + n / M),   a_box = (F - f1 - n f2) / M,   a_ball = f2 / m

where f1 = 0.4 (M + n m) g. The error is the mean of the squared differences of the velocities of the box
and of the first ball (m2/s2).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treadle.studies.simbenchmark.measure import Run, follow
from treadle.studies.simbenchmark.scene import GRAVITY, Scene, Solid
from treadle.studies.simbenchmark.worlds import World

__all__ = ["DIRECTIONS", "DT", "PUBLISHED", "SECONDS", "accelerations", "roll", "rolling"]

#: Step and time simulated (s).
DT, SECONDS = 1e-3, 4.0

#: Directions of the push.
DIRECTIONS = {"xy": (0.5, 0.866025403784439), "y": (0.0, 1.0)}

#: Smallest published errors (m2/s2), with the engine.
PUBLISHED = {"xy": (3.85e-27, "Bullet"), "y": (7.3e-28, "Bullet")}

#: Push (N), masses of box and ball (kg), balls along a side, radius and first depth (m).
_PUSH, _BOX, _BALL, _SIDE, _RADIUS, _DEPTH = 150.0, 10.0, 1.0, 5, 0.5, 2e-5

#: Friction of the box on the ground.
_SLIDING = 0.4


def rolling() -> Scene:
    """The box, and the balls on it; all are a little inside each other."""
    box = Solid(_BOX, (20.0, 20.0, 1.0), (0.0, 0.0, 0.5 - _DEPTH))
    balls = [
        Solid(_BALL, (_RADIUS,), (2.0 * i - 4.0, 2.0 * j - 4.0, 1.0 + _RADIUS - 3.0 * _DEPTH))
        for i in range(_SIDE)
        for j in range(_SIDE)
    ]
    return Scene("rolling", (box, *balls), sliding=_SLIDING, rolling=0.8)


def roll(make: Callable[[Scene, float], World], direction: tuple[float, float], seconds: float) -> Run:
    """Push the box in a world of some engine."""
    along, world = np.array([*direction, 0.0]), make(rolling(), DT)
    world.push(0, _PUSH * along)
    expected = np.outer(accelerations(), along)

    def error(world: World, number: int) -> float:
        return float(np.sum((world.velocities()[:2] - number * DT * expected) ** 2))

    return follow(world, round(seconds / DT), error)


def accelerations() -> tuple[float, float]:
    """Accelerations (m/s2) of the box and of a ball along the push."""
    count = _SIDE * _SIDE
    rest = _PUSH - _SLIDING * (_BOX + count * _BALL) * GRAVITY
    each = rest / _BOX / (3.5 / _BALL + count / _BOX)
    return (rest - count * each) / _BOX, each / _BALL
