"""Checks of wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.model.faults import check_names, check_not_negative, converted, fault
from treadle.model.model import suggest
from treadle.model.parts import TREADS
from treadle.model.validate_shapes import check_choice
from treadle.model.values import number

if TYPE_CHECKING:
    from treadle.model.parts import WheelSpec
    from treadle.model.spec import JointSpec, ModelSpec

__all__ = ["validate_wheels"]

#: Points at which contact is looked for: a sine through three of them is the least.
FEWEST_POINTS, MOST_POINTS = 3, 181


def validate_wheels(spec: ModelSpec, tree: list[JointSpec]) -> None:
    """Raise ModelError at the first mistake."""
    check_names(spec, [("wheel", wheel) for wheel in spec.wheels])
    joints = {joint.name: joint for joint in tree}
    for wheel in spec.wheels:
        _check_wheel(spec, wheel, joints)


def _check_wheel(spec: ModelSpec, wheel: WheelSpec, joints: dict[str, JointSpec]) -> None:
    element = f'wheel "{wheel.name}"'
    joint = joints.get(wheel.joint)
    if joint is None:
        hint = suggest(wheel.joint, list(joints))
        message = f"its joint {wheel.joint!r} is not one of the tree of {spec.name!r}"
        raise fault(spec, element, message, hint, wheel)
    if joint.type not in ("revolute", "continuous"):
        hint = "put it on a revolute or continuous joint, whose axis is the axle"
        raise fault(spec, element, f"its joint {wheel.joint!r} is {joint.type}", hint, wheel)
    if converted(spec, element, wheel, "radius", number) <= 0.0:
        raise fault(spec, element, "its radius is not positive", "give it in metres", wheel)
    check_not_negative(spec, element, wheel, "width")
    if wheel.tread == "torus" and wheel.width >= 2.0 * wheel.radius:
        hint = "a round tread is half the width in radius: use a smaller width or another tread"
        raise fault(spec, element, "is as wide as it is high", hint, wheel)
    check_choice(spec, element, wheel, "tread", TREADS)
    if not isinstance(wheel.model, str) or not wheel.model.strip():
        raise fault(spec, element, "has no model", 'such as "linear"', wheel)
    _check_whole(spec, element, wheel, "points", FEWEST_POINTS, MOST_POINTS)
    _check_whole(spec, element, wheel, "contacts", 1, 2)
    if not isinstance(wheel.parameters, dict):
        hint = 'such as {"stiffness": 2e4}'
        raise fault(spec, element, "its parameters need names with numbers", hint, wheel)
    for name, value in wheel.parameters.items():
        try:
            number(value)
        except ValueError as error:
            raise fault(spec, element, f"its parameter {name!r} {error}", None, wheel) from None


def _check_whole(spec: ModelSpec, element: str, wheel: Any, name: str, least: int, most: int) -> None:
    value = getattr(wheel, name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        hint = f"use a whole number from {least} to {most}"
        raise fault(spec, element, f"its number of {name} is {value!r}", hint, wheel)
