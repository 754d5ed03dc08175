"""Distinct constants: the numbers of a model, so that its code does not depend on which of them are equal."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

from treadle.graph import Number
from treadle.model.attachments import Settings
from treadle.model.elements import Element
from treadle.model.model import Model
from treadle.spatial import Inertia, Mat3, Vec3

__all__ = ["distinct_constants"]

_Part = TypeVar("_Part")


def distinct_constants(model: Model) -> Model:
    """The model with a `Number` for each number of its bodies, joints, loops and actuators, and of gravity.

    Placements and joint axes are left as they are: code that drops their zeros and ones is much shorter.
    """
    places = count()
    bodies = tuple(
        replace(body, joint=_part(body.joint, places), inertia=_inertia(body.inertia, places))
        for body in model.bodies
    )
    return replace(
        model,
        bodies=bodies,
        loops=tuple(_part(loop, places) for loop in model.loops),
        actuators=tuple(_part(actuator, places) for actuator in model.actuators),
        elements=tuple(_element(element, places) for element in model.elements),
        tendons=tuple(_part(tendon, places) for tendon in model.tendons),
        gravity=tuple(_number(x, places) for x in model.gravity),
    )


def _part(part: _Part, places: count) -> _Part:
    """A part with distinct constants for all its numbers, single ones and those in tuples."""
    found: dict[str, Any] = {}
    for name, value in vars(part).items():
        if isinstance(value, float):
            found[name] = _number(value, places)
        elif isinstance(value, tuple):
            found[name] = tuple(_number(x, places) for x in value)
    return replace(part, **found)  # type: ignore[type-var]


def _element(element: Element, places: count) -> Element:
    numbers = {name: _numbers(value, places) for name, value in element.parameters.items()}
    return replace(
        element, parameters=Settings(numbers), stiffness_rate=_number(element.stiffness_rate, places)
    )


def _numbers(value: Any, places: count) -> Any:
    return tuple(_numbers(x, places) for x in value) if isinstance(value, tuple) else _number(value, places)


def _inertia(inertia: Inertia, places: count) -> Inertia:
    """One constant for equal moments of inertia: a body of revolution stays one."""
    known: dict[Any, Any] = {}
    rows = []
    for row in inertia.rotational.rows:
        entries = [(x, _number(x, places)) for x in row]
        rows.append(Vec3(*[known.setdefault(x, number) for x, number in entries]))
    moment = Vec3(*[_number(x, places) for x in inertia.moment])
    return Inertia(_number(inertia.mass, places), moment, Mat3(*rows), inertia.added)


def _number(x: Any, places: count) -> Any:
    """A number that can change without other code: not zero, not infinite, not traced."""
    place = next(places)
    if not isinstance(x, float) or x == 0.0 or not math.isfinite(x):
        return x
    return Number(x, hash((place, 0.5)))
