"""The ground that a simulation's wheels run on, or that its shapes touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.sim.checks import check_choice
from treadle.sim.contact_default import touches

if TYPE_CHECKING:
    from treadle.terrain import Terrain

__all__ = ["ROLLING", "check_rolling", "ground"]

#: What wheels do in a step of symplectic Euler; other integrators add their forces to the others.
ROLLING = {
    "balance": "forces at the end of the step, by force balance",
    "held_inertia": "the same with the inertia that the machine has in its initial posture",
    "rigid_bias": "the same with that inertia, and as if its joints stood still",
    "direct": "forces at the start of the step, added to the others",
    "kinematic": "no forces at all: the velocity with the least slip",
}


def ground(
    model: Model,
    given: Terrain | Mapping[str, Any] | None,
    settings: Mapping[str, Any],
    contact: bool | None = None,
) -> Terrain | None:
    """The terrain that was given, or that of the settings; the plane z = 0 for wheels that have none.

    Without wheels and shapes to touch it there is none; InputError if it was given, for shapes to touch.
    """
    stated = settings.get("terrain") if given is None else given
    if model.wheels:
        return _under_wheels(model, stated)
    terrain = None
    if stated is not None:
        from treadle.terrain import make_terrain

        terrain = make_terrain(stated)
    if touches(model, terrain):
        return terrain
    if given is not None and contact is not False:
        raise InputError(
            f"{model.name!r} has nothing that could touch the terrain: give its bodies shapes with "
            'role="collision", or wheels'
        )
    return None


def _under_wheels(model: Model, stated: Terrain | Mapping[str, Any] | None) -> Terrain:
    from treadle.terrain import Plane, make_terrain
    from treadle.wheels import model_parameters

    for wheel in model.wheels:
        # a wrong name is reported now, not when the step is traced
        model_parameters(wheel)
    return Plane() if stated is None else make_terrain(stated)


def check_rolling(given: str) -> str:
    """What wheels are to do in a step."""
    check_choice("rolling", given, ROLLING)
    return given
