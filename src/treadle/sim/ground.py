"""The ground that a simulation's wheels run on, or that its shapes touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.model.model import Model
from treadle.sim.checks import check_choice
from treadle.sim.partners import touches
from treadle.terrain import Plane, Terrain, make_terrain
from treadle.wheels import model_parameters
from treadle.wheels.rolling import ROLLING

__all__ = ["check_rolling", "ground"]


def ground(model: Model, given: Terrain | Mapping[str, Any] | None) -> Terrain | None:
    """The terrain that was given, or the plane z = 0; none without wheels and shapes to touch it."""
    for wheel in model.wheels:
        # a wrong name is told now, not when the step is traced
        model_parameters(wheel)
    terrain = None if given is None else make_terrain(given)
    if not model.wheels:
        return terrain if touches(model, terrain) else None
    return Plane() if terrain is None else terrain


def check_rolling(given: str) -> str:
    """What wheels are to do in a step."""
    check_choice("rolling", given, ROLLING)
    return given
