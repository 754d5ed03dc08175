"""Run a scene in an engine for some time, with an error in every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from time import process_time

import numpy as np

from treadle.studies.simbenchmark.scene import GRAVITY, Scene
from treadle.studies.simbenchmark.worlds import World

__all__ = ["Run", "energy", "follow"]


@dataclass(frozen=True)
class Run:
    """Mean of the errors of all steps, inf where the scene fell apart; seconds of CPU, and how many steps."""

    error: float
    cpu: float
    steps: int


def follow(world: World, steps: int, error: Callable[[World, int], float]) -> Run:
    """Take steps and end the world; `error` is asked after each for its error, with its number from 1 on.

    Only the steps themselves are timed.
    """
    total, cpu = 0.0, 0.0
    for number in range(1, steps + 1):
        start = process_time()
        world.step()
        cpu += process_time() - start
        found = error(world, number)
        total += found if isfinite(found) else inf
    world.close()
    return Run(total / steps, cpu, steps)


def energy(scene: Scene, world: World) -> float:
    """Energy (J) of solids that do not turn, above the plane."""
    speeds = np.sum(world.velocities() ** 2, axis=1)
    return float(scene.masses() @ (0.5 * speeds + GRAVITY * world.centres()[:, 2]))
