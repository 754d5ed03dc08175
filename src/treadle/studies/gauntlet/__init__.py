"""Contact under stress: towers, arches, clutter, grasps, robots as files have them, in several engines."""

from __future__ import annotations

from treadle.studies.gauntlet.study import run

__all__ = ["run"]
