"""Checks of tendons."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from treadle.joints import joint_class
from treadle.model.faults import check_names, check_not_negative, converted, fault
from treadle.model.model import suggest
from treadle.model.tendons import PATH_KEYS, WRAPS
from treadle.model.values import number, plain, vector

if TYPE_CHECKING:
    from treadle.model.spec import JointSpec, ModelSpec
    from treadle.model.tendons import TendonSpec

__all__ = ["validate_tendons"]

#: What the parts of a path may state, by kind.
_KEYS = {
    "point": ("frame", "point"),
    "pulley": ("pulley",),
    "sphere": ("wrap", "frame", "point", "radius", "side", "side_frame"),
    "cylinder": ("wrap", "frame", "point", "radius", "axis", "side", "side_frame"),
}


def validate_tendons(spec: ModelSpec, tree: list[JointSpec]) -> None:
    """Raise ModelError at the first mistake."""
    check_names(spec, [("tendon", item) for item in spec.tendons])
    joints = {joint.name: joint for joint in tree if joint.type != "fixed"}
    known = [item.name for item in (*spec.bodies, *spec.frames)]
    for item in spec.tendons:
        element = f'tendon "{item.name}"'
        if bool(item.path) == bool(item.joints):
            hint = "give it a path, or joints with coefficients"
            raise fault(spec, element, "has both or neither of a path and joints", hint, item)
        if item.joints:
            _check_joints(spec, element, item, joints)
        else:
            _check_path(spec, element, item, known)
        _check_numbers(spec, element, item)


def _check_joints(spec: ModelSpec, element: str, item: TendonSpec, joints: dict[str, JointSpec]) -> None:
    for name in item.joints:
        if name not in joints:
            message = f"its joint {name!r} is not a joint of the tree of {spec.name!r}"
            raise fault(spec, element, message, suggest(name, list(joints)), item)
        if len(joint_class(joints[name].type).positions) != 1:
            hint = "name joints with one degree of freedom, such as revolute ones"
            raise fault(spec, element, f"its joint {name!r} has several degrees of freedom", hint, item)
        try:
            number(item.joints[name])
        except ValueError as error:
            raise fault(spec, element, f"its coefficient of {name!r} {error}", None, item) from None


def _check_path(spec: ModelSpec, element: str, item: TendonSpec, known: list[str]) -> None:
    kinds = []
    for index, part in enumerate(item.path):
        if not isinstance(part, dict):
            hint = f"parts have the keys {', '.join(PATH_KEYS)}"
            raise fault(spec, element, f"part {index + 1} of its path is no table", hint, item)
        kind = "pulley" if "pulley" in part else part.get("wrap", "point")
        try:
            _check_part(part, kind, known)
        except ValueError as error:
            raise fault(spec, element, f"part {index + 1} of its path {error}", None, item) from None
        kinds.append(kind)
    _check_order(spec, element, item, kinds)


def _check_part(part: dict[str, Any], kind: str, known: list[str]) -> None:
    if kind not in _KEYS:
        raise ValueError(f"wraps around {kind!r}; use one of {', '.join(WRAPS)}")
    for key in part:
        if key not in _KEYS[kind]:
            raise ValueError(f"is a {kind} and has no {key!r}; it has {', '.join(_KEYS[kind])}")
    for key in ("frame", "side_frame"):
        if part.get(key) is not None and part[key] not in known:
            raise ValueError(f"names {part[key]!r}, which is no body or frame; {suggest(part[key], known)}")
    for key in ("point", "axis", "side"):
        if key in part:
            size = float((vector(part[key]) ** 2).sum())
            if key == "axis" and size < 1e-24:
                raise ValueError("has an axis of no length; give it a direction, such as (0, 0, 1)")
    for key in ("pulley", "radius"):
        if key in _KEYS[kind] and number(part.get(key, 0.0)) <= 0.0:
            raise ValueError(f"needs a positive {key}")


def _check_order(spec: ModelSpec, element: str, item: TendonSpec, kinds: list[str]) -> None:
    """Each branch has at least two points, and between two of them at most one object."""
    branch: list[str] = []
    for kind in (*kinds, "pulley"):
        if kind != "pulley":
            branch.append(kind)
            continue
        bad = any(a in WRAPS and b in WRAPS for a, b in pairwise(branch))
        if branch.count("point") < 2 or branch[0] != "point" or branch[-1] != "point" or bad:
            hint = "begin and end every branch at a point, and lead it through one between two objects"
            raise fault(spec, element, "cannot be led along its path", hint, item)
        branch = []


def _check_numbers(spec: ModelSpec, element: str, item: TendonSpec) -> None:
    names = ("stiffness", "damping", "friction", "limit_restitution", "limit_stiffness", "limit_damping")
    for name in names:
        check_not_negative(spec, element, item, name)
    if plain(item.limit_restitution) > 1.0:
        raise fault(spec, element, "limit_restitution is above 1", "it is from 0 to 1", item)
    rest = plain(item.length)
    if rest is None and item.stiffness:
        hint = "give the length at which it is at rest, or a pair between which it is slack"
        raise fault(spec, element, "has a spring but no length", hint, item)
    if isinstance(rest, tuple):
        low, high = converted(spec, element, item, "length", lambda value: vector(value, 2))
        if low > high:
            raise fault(
                spec, element, "the first of its two lengths is the longer one", "exchange them", item
            )
    elif rest is not None:
        converted(spec, element, item, "length", number)
    for name in ("lower", "upper"):
        if getattr(item, name) is not None:
            converted(spec, element, item, name, number)
    if item.lower is not None and item.upper is not None and item.lower > item.upper:
        raise fault(spec, element, "its lower limit is above its upper limit", "exchange them", item)
