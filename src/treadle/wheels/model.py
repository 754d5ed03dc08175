"""What a wheel-ground model is: a function from a contact's velocity to the force of the ground.

    def rubber(contact, stiffness=2e5, grip=1e4):
        fz = td.maximum(stiffness * contact.depth - 0.05 * stiffness * contact.vz, 0.0)
        limit = contact.friction * fz
        return td.clip(-grip * contact.vx, -limit, limit), td.clip(-grip * contact.vy, -limit, limit), fz

`td.wheel_model(rubber)` makes it known by its name; a wheel then says model="rubber", and may give other
values to the keyword arguments. It is traced into the compiled step, where its Jacobian is exact.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.attachments import Wheel
from treadle.model.model import suggest
from treadle.plugins import Registry
from treadle.terrain import Soil

__all__ = [
    "WHEEL_MODELS", "WheelContact", "holding_direction", "model_force", "model_parameters", "wheel_model",
]  # fmt: skip

#: fx, fy, fz (N) on the wheel, along the directions of the contact; a fourth drags on the wheel's turning.
WheelModel = Callable[..., Sequence[Scalar]]

F = TypeVar("F", bound=WheelModel)

#: The models by name.
WHEEL_MODELS: Registry[WheelModel] = Registry("treadle.wheel_models")


class WheelContact(NamedTuple):
    """Arguments of a wheel-ground model: velocity of the wheel's contact point, and the ground there.

    vx (m/s) is along the rolling direction, vy across it to the left, vz out of the ground. `rolling` is the
    radius times the wheel's angular velocity, so that vx + rolling is the speed of its centre. `depth` (m) is
    how deep the point is in the ground, below zero if it is not.
    """

    vx: Scalar
    vy: Scalar
    vz: Scalar
    rolling: Scalar
    depth: Scalar
    radius: float
    width: float
    friction: Scalar
    soil: Soil


def wheel_model(function: F) -> F:
    """Register a wheel-ground model under the function's name; also a decorator."""
    _defaults(function)
    WHEEL_MODELS[function.__name__] = function
    return function


def model_parameters(wheel: Wheel) -> dict[str, Any]:
    """The model's parameters for a wheel: its own values where the wheel gives none."""
    if wheel.model not in WHEEL_MODELS:
        hint = suggest(wheel.model, list(WHEEL_MODELS))
        raise InputError(f"wheel {wheel.name!r}: there is no wheel model {wheel.model!r}; {hint}")
    known = _defaults(WHEEL_MODELS[wheel.model])
    for name in wheel.parameters:
        if name not in known:
            hint = suggest(name, list(known))
            raise InputError(f"wheel {wheel.name!r}: model {wheel.model!r} has no {name!r}; {hint}")
    return {**known, **wheel.parameters}


def holding_direction(wheel: Wheel) -> tuple[float, float] | None:
    """The direction (x, y) in which a parked wheel holds its place, None for all.

    A model that holds along one alone has it as `holds_along`, a function of its parameters.
    """
    along = getattr(WHEEL_MODELS[wheel.model], "holds_along", None)
    return None if along is None else along(**model_parameters(wheel))


def model_force(wheel: Wheel, contact: WheelContact) -> list[Scalar]:
    """fx, fy, fz and the drag (N) of the wheel's model; nothing where the wheel is not in the ground."""
    given = list(WHEEL_MODELS[wheel.model](contact, **model_parameters(wheel)))
    if len(given) not in (3, 4):
        raise InputError(f"wheel model {wheel.model!r} must return fx, fy, fz (and drag), not {given!r}")
    return given if len(given) == 4 else [*given, 0.0]


def _defaults(function: WheelModel) -> Mapping[str, Any]:
    """Keyword arguments of a model and their values."""
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise InputError(f"wheel model {function.__name__!r} needs an argument, the WheelContact")
    others = parameters[1:]
    for parameter in others:
        if parameter.default is inspect.Parameter.empty:
            raise InputError(f"wheel model {function.__name__!r}: give its {parameter.name!r} a value")
    return {parameter.name: parameter.default for parameter in others}
