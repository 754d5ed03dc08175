"""Walker2d: walk forward without falling. Observation and reward after Gymnasium's Walker2d-v5."""

from __future__ import annotations

from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.tasks.gymnasium_machines import qpos
from treadle.envs.tasks.planar_walker import planar_walker

__all__ = ["TASK"]


def healthy(now: Situation) -> Any:
    """High enough, and upright."""
    position = qpos(now)
    return (position[1] > 0.8) & (position[1] < 2.0) & (abs(position[2]) < 1.0)


TASK = planar_walker("Walker2d", "walker2d_v5.xml", 6, healthy)
