"""Hopper: hop forward without falling. Observation and reward after Gymnasium's Hopper-v5."""

from __future__ import annotations

from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.tasks.gymnasium_machines import qpos, qvel
from treadle.envs.tasks.planar_walker import planar_walker

__all__ = ["TASK"]


def healthy(now: Situation) -> Any:
    """Upright, and no number of the state beyond 100."""
    position, velocity = qpos(now), qvel(now)
    good: Any = (position[1] > 0.7) & (abs(position[2]) < 0.2)
    for x in [*position[2:], *velocity]:
        good = good & (abs(x) < 100.0)
    return good


TASK = planar_walker("Hopper", "hopper.xml", 3, healthy)
