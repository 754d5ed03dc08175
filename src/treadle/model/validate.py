"""Checks of a description before it becomes a model: each mistake is named, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.errors import ModelError
from treadle.joints import JOINT_TYPES
from treadle.model.model import suggest
from treadle.model.values import freedoms, inertia_matrix, number, rotation_matrix, vector

if TYPE_CHECKING:
    from treadle.model.spec import BodySpec, FrameSpec, JointSpec, ModelSpec

__all__ = ["KNOWN_TYPES", "validate"]

#: Names that `JointSpec.type` may have.
KNOWN_TYPES = (*JOINT_TYPES, "continuous", "fixed")

_PHYSICAL = "check its inertia about the centre of mass, in kg m2"


def validate(spec: ModelSpec, strict: bool = True) -> list[str]:
    """Raise ModelError at the first mistake; otherwise return what `strict` would have refused."""
    _check_names(spec)
    _read(spec, f'model "{spec.name}"', spec, "gravity", vector)
    findings = []
    for body in spec.bodies:
        problem = _check_body(spec, body)
        if problem and strict:
            raise _error(spec, f'body "{body.name}"', problem, _PHYSICAL, body)
        if problem:
            findings.append(f'body "{body.name}": {problem}; it is kept as written')
    known = {body.name for body in spec.bodies}
    for joint in spec.joints:
        _check_joint(spec, joint, known)
    for frame in spec.frames:
        _check_frame(spec, frame, known)
    _check_tree(spec)
    return findings


def _check_names(spec: ModelSpec) -> None:
    """Bodies and frames share one set of names, joints have another."""
    places = [("body", body) for body in spec.bodies] + [("frame", frame) for frame in spec.frames]
    for items in (places, [("joint", joint) for joint in spec.joints]):
        seen: dict[str, str] = {}
        for position, (kind, item) in enumerate(items):
            if not isinstance(item.name, str) or not item.name.strip():
                raise _error(spec, f"{kind} number {position + 1}", "has no name", "give it one", item)
            if item.name in seen:
                message = f"the name is already that of another {seen[item.name]}"
                raise _error(spec, f'{kind} "{item.name}"', message, "rename one of the two", item)
            seen[item.name] = kind


def _check_body(spec: ModelSpec, body: BodySpec) -> str | None:
    """Raise what is an error in any case; return what is wrong with the inertia otherwise."""
    element = f'body "{body.name}"'
    mass = _read(spec, element, body, "mass", number)
    if mass < 0.0:
        hint = "a mass must be positive, or zero for a link that only carries others"
        raise _error(spec, element, f"has the negative mass {mass:g} kg", hint, body)
    _read(spec, element, body, "center", vector)
    inertia = _read(spec, element, body, "inertia", inertia_matrix)
    if np.abs(inertia - inertia.T).max() > 1e-6 * np.abs(inertia).max():
        raise _error(spec, element, "its inertia matrix is not symmetric", _PHYSICAL, body)
    low, middle, high = np.linalg.eigvalsh(inertia)
    # rounding of the file's digits, and the inertia of a body a thousandth of a millimetre in size
    tolerance = 1e-6 * max(abs(low), abs(high)) + 1e-12 * mass
    if low < -tolerance:
        return f"its inertia is not physical: the principal moment {low:.3g} kg m2 is negative"
    if high > low + middle + tolerance:
        moments = f"{low:.3g}, {middle:.3g}, {high:.3g} kg m2"
        return f"its inertia is not physical: of the principal moments {moments} one exceeds the others' sum"
    return None


def _check_joint(spec: ModelSpec, joint: JointSpec, known: set[str]) -> None:
    element = f'joint "{joint.name}"'
    if joint.type not in KNOWN_TYPES:
        hint = f"use one of {', '.join(KNOWN_TYPES)}"
        raise _error(spec, element, f"unknown joint type {joint.type!r}", hint, joint)
    _check_reference(spec, element, joint, "parent", known)
    if joint.child is None:
        raise _error(spec, element, "has no child body", "name the body that it moves", joint)
    _check_reference(spec, element, joint, "child", known)
    _read(spec, element, joint, "position", vector)
    _read(spec, element, joint, "rotation", rotation_matrix)
    _check_axes(spec, element, joint)
    if joint.type != "fixed":
        _check_freedoms(spec, element, joint)


def _check_reference(spec: ModelSpec, element: str, item: Any, role: str, known: set[str]) -> None:
    name = getattr(item, role)
    if name is None or (isinstance(name, str) and name in known):
        return
    hint = "use None for the world" if name == "world" else suggest(name, sorted(known))
    raise _error(spec, element, f"its {role} {name!r} is not a body of {spec.name!r}", hint, item)


def _check_axes(spec: ModelSpec, element: str, joint: JointSpec) -> None:
    if joint.second_axis is not None and joint.type != "universal":
        hint = "only a universal joint has one"
        raise _error(spec, element, f"a {joint.type} joint has no second axis", hint, joint)
    if _read(spec, element, joint, "pitch", number) and joint.type != "helical":
        hint = "only a helical joint has one"
        raise _error(spec, element, f"a {joint.type} joint has no pitch", hint, joint)
    directions = [np.eye(3)[0], np.eye(3)[1]]
    for index, name in enumerate(("axis", "second_axis")):
        if joint.type != "fixed" and getattr(joint, name) is not None:
            axis = _read(spec, element, joint, name, vector)
            length = np.linalg.norm(axis)
            if length < 1e-12:
                hint = "give it a direction, such as (0, 0, 1)"
                raise _error(spec, element, f"{name} is zero", hint, joint)
            directions[index] = axis / length
    if joint.type == "universal" and np.linalg.norm(np.cross(*directions)) < 1e-5:
        hint = "make them perpendicular"
        raise _error(spec, element, "the two axes of a universal joint are parallel", hint, joint)


def _check_freedoms(spec: ModelSpec, element: str, joint: JointSpec) -> None:
    kind = JOINT_TYPES["revolute" if joint.type == "continuous" else joint.type]
    count = len(kind.velocities)

    def values(name: str, absent: float = 0.0) -> np.ndarray:
        return np.array(_read(spec, element, joint, name, lambda value: freedoms(value, count, absent)))

    lower, upper = values("lower", -np.inf), values("upper", np.inf)
    limited = np.isfinite(lower).any() or np.isfinite(upper).any()
    if (lower > upper).any() or np.isposinf(lower).any() or np.isneginf(upper).any():
        raise _error(spec, element, "its lower limit is above its upper limit", "exchange them", joint)
    if limited and joint.type == "continuous":
        raise _error(spec, element, "a continuous joint has no position limits", "make it revolute", joint)
    if limited and len(kind.positions) != count:
        hint = "leave lower and upper out"
        raise _error(spec, element, f"a {joint.type} joint cannot have position limits yet", hint, joint)
    for name in ("effort", "speed"):
        if (values(name, np.inf) < 0.0).any():
            hint = "give its magnitude, or None for no limit"
            raise _error(spec, element, f"its {name} limit is negative", hint, joint)
    for name in ("damping", "friction", "stiffness", "armature", "reference"):
        given = values(name)
        if not np.isfinite(given).all():
            raise _error(spec, element, f"{name} needs finite numbers", "use a large number instead", joint)
        if name != "reference" and (given < 0.0).any():
            raise _error(spec, element, f"{name} is negative", "it must be zero or positive", joint)
        if name == "stiffness" and given.any() and len(kind.positions) != count:
            hint = "use revolute or universal joints, or apply the spring as a force"
            raise _error(spec, element, f"a {joint.type} joint cannot have a spring", hint, joint)


def _check_frame(spec: ModelSpec, frame: FrameSpec, known: set[str]) -> None:
    element = f'frame "{frame.name}"'
    _check_reference(spec, element, frame, "body", known)
    _read(spec, element, frame, "position", vector)
    _read(spec, element, frame, "rotation", rotation_matrix)


def _check_tree(spec: ModelSpec) -> None:
    """Every body hangs on exactly one joint, and the joints lead to the world."""
    above: dict[str, JointSpec] = {}
    for joint in spec.joints:
        if joint.child in above:
            message = (
                f'body "{joint.child}" already hangs on joint "{above[joint.child].name}":'
                " closed loops are not supported by this version"
            )
            raise _error(spec, f'joint "{joint.name}"', message, "remove one of the two", joint)
        above[joint.child] = joint
    for body in spec.bodies:
        if body.name not in above:
            hint = "add a fixed or free joint from the world (parent=None) to it"
            raise _error(spec, f'body "{body.name}"', "no joint connects it to anything", hint, body)
    grounded: set[str | None] = {None}
    for body in spec.bodies:
        path: list[str] = []
        name: str | None = body.name
        while name not in grounded:
            if name in path:
                loop = " -> ".join(f'"{x}"' for x in [*path[path.index(name) :], name])
                hint = "one of them must hang on the world (parent=None)"
                raise _error(spec, f'body "{body.name}"', f"the parents run in a circle: {loop}", hint, body)
            path.append(name)  # type: ignore[arg-type]
            name = above[name].parent  # type: ignore[index]
        grounded.update(path)


def _read(spec: ModelSpec, element: str, item: Any, name: str, convert: Callable[[Any], Any]) -> Any:
    """A field of the item, converted; ModelError if it does not convert."""
    try:
        return convert(getattr(item, name))
    except ValueError as error:
        raise _error(spec, element, f"{name} {error}", None, item) from None


def _error(spec: ModelSpec, element: str, message: str, hint: str | None, item: Any) -> ModelError:
    line = getattr(item, "line", None)
    return ModelError(message, file=spec.file, line=line, element=element, hint=hint)
