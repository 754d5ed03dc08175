"""The ground that a simulation's wheels run on, or that its shapes touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.sim.checks import check_choice
from treadle.sim.partners import touches
from treadle.terrain import Plane, Terrain, make_terrain
from treadle.wheels import model_parameters
from treadle.wheels.rolling import ROLLING

__all__ = ["check_rolling", "ground"]


def ground(
    model: Model,
    given: Terrain | Mapping[str, Any] | None,
    settings: Mapping[str, Any],
    contact: bool | None = None,
) -> Terrain | None:
    """The terrain that was given, or that of the settings; the plane z = 0 for wheels that have none.

    Without wheels and shapes to touch it there is none; InputError if it was given, for shapes to touch.
    """
    for wheel in model.wheels:
        # a wrong name is told now, not when the step is traced
        model_parameters(wheel)
    stated = settings.get("terrain") if given is None else given
    terrain = None if stated is None else make_terrain(stated)
    if model.wheels:
        return Plane() if terrain is None else terrain
    if touches(model, terrain):
        return terrain
    if given is not None and contact is not False:
        raise InputError(
            f"{model.name!r} has nothing that could touch the terrain: give its bodies shapes with "
            'role="collision", or wheels'
        )
    return None


def check_rolling(given: str) -> str:
    """What wheels are to do in a step."""
    check_choice("rolling", given, ROLLING)
    return given
