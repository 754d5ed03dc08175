"""Checks of a description before it becomes a model: each mistake is named, with what to do about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import ModelError
from treadle.joints import JOINT_TYPES, TIE_TYPES, joint_class
from treadle.model.faults import check_body_name, check_names, converted, fault
from treadle.model.finding import Finding
from treadle.model.placement import is_identity
from treadle.model.solids import SOLIDS
from treadle.model.tree import spanning_tree
from treadle.model.validate_shapes import check_size, validate_shapes
from treadle.model.values import freedoms, inertia_matrix, number, plain, rotation_matrix, vector

if TYPE_CHECKING:
    from treadle.model.spec import BodySpec, FrameSpec, JointSpec, ModelSpec

__all__ = ["known_types", "validate"]


#: What joints state about their freedoms.
_OF_FREEDOMS = (
    "lower", "upper", "limit_restitution", "limit_stiffness", "limit_damping", "effort", "speed", "damping",
    "friction", "stiffness", "reference", "armature",
)  # fmt: skip

#: Inertias and components of axes beyond this are a mistake.
_LARGEST = 1e100

_PHYSICAL = "check its inertia about the centre of mass, in kg m2"


def known_types() -> tuple[str, ...]:
    """Names that `JointSpec.type` may have."""
    return (*JOINT_TYPES, "continuous", "fixed", *TIE_TYPES)


def validate(spec: ModelSpec, strict: bool = True) -> list[str]:
    """Raise ModelError at the first mistake; otherwise return what `strict` would have refused."""
    # bodies and frames share one set of names, joints have another
    check_names(spec, [("body", body) for body in spec.bodies] + [("frame", frame) for frame in spec.frames])
    check_names(spec, [("joint", joint) for joint in spec.joints])
    converted(spec, f'model "{spec.name}"', spec, "gravity", vector)
    findings = []
    for body in spec.bodies:
        problem = _check_body(spec, body)
        if problem and strict:
            raise fault(spec, f'body "{body.name}"', problem, _PHYSICAL, body)
        if problem:
            sentence = f'body "{body.name}": {problem}; it is kept as written'
            findings.append(Finding(sentence, severity="warning", hint=_PHYSICAL))
    known = {body.name for body in spec.bodies}
    for joint in spec.joints:
        _check_joint(spec, joint, known)
    for frame in spec.frames:
        _check_frame(spec, frame, known)
    tree = _check_tree(spec)
    validate_shapes(spec, known)
    if spec.wheels:
        from treadle.model.validate_wheels import validate_wheels

        validate_wheels(spec, tree)
    if spec.elements:
        from treadle.model.validate_elements import validate_elements

        validate_elements(spec)
    if spec.sensors:
        from treadle.model.attach_sensors import validate_sensors

        validate_sensors(spec)
    if spec.tendons:
        from treadle.model.validate_tendons import validate_tendons

        validate_tendons(spec, tree)
    if spec.actuators or spec.couplings or spec.keyframes:
        from treadle.model.validate_drives import validate_drives

        findings += validate_drives(spec, tree)
    return findings


def _check_body(spec: ModelSpec, body: BodySpec) -> str | None:
    """Raise what is an error in any case; return what is wrong with the inertia otherwise."""
    element = f'body "{body.name}"'
    mass = converted(spec, element, body, "mass", number)
    if mass < 0.0:
        hint = "a mass must be positive, or zero for a link that only carries others"
        raise fault(spec, element, f"has the negative mass {mass:g} kg", hint, body)
    converted(spec, element, body, "center", vector)
    _check_solid(spec, element, body)
    if body.inertia is None:
        return None
    inertia = converted(spec, element, body, "inertia", inertia_matrix)
    if np.abs(inertia - inertia.T).max() > 1e-6 * np.abs(inertia).max():
        raise fault(spec, element, "its inertia matrix is not symmetric", _PHYSICAL, body)
    if np.abs(inertia).max() > _LARGEST:
        raise fault(spec, element, "its inertia is larger than that of any machine", _PHYSICAL, body)
    low, middle, high = np.linalg.eigvalsh(inertia)
    # rounding of the file's digits, and the inertia of a body a thousandth of a millimetre in size
    tolerance = 1e-6 * max(abs(low), abs(high)) + 1e-12 * mass
    if low < -tolerance:
        return f"its inertia is not physical: the principal moment {low:.3g} kg m2 is negative"
    if high > low + middle + tolerance:
        moments = f"{low:.3g}, {middle:.3g}, {high:.3g} kg m2"
        return f"its inertia is not physical: of the principal moments {moments} one exceeds the others' sum"
    return None


def _check_solid(spec: ModelSpec, element: str, body: BodySpec) -> None:
    """The shape that the body is a solid of, if it states one."""
    if body.type is None:
        if plain(body.size) != ():
            raise fault(spec, element, "has a size but no type", f"use one of {', '.join(SOLIDS)}", body)
        return
    if body.type not in SOLIDS:
        hint = f"use one of {', '.join(SOLIDS)}, or leave it out and add shapes"
        raise fault(spec, element, f"unknown type {body.type!r}", hint, body)
    check_size(spec, element, body)


def _check_joint(spec: ModelSpec, joint: JointSpec, known: set[str]) -> None:
    element = f'joint "{joint.name}"'
    if (
        joint.type not in ("continuous", "fixed")
        and joint.type not in JOINT_TYPES
        and joint.type not in TIE_TYPES
    ):
        hint = f"use one of {', '.join(known_types())}"
        raise fault(spec, element, f"unknown joint type {joint.type!r}", hint, joint)
    check_body_name(spec, element, joint, "parent", known)
    if joint.child is None:
        raise fault(spec, element, "has no child body", "name the body that it moves", joint)
    check_body_name(spec, element, joint, "child", known)
    converted(spec, element, joint, "position", vector)
    converted(spec, element, joint, "rotation", rotation_matrix)
    if not is_identity(joint.child_position, joint.child_rotation):
        converted(spec, element, joint, "child_position", vector)
        converted(spec, element, joint, "child_rotation", rotation_matrix)
    _check_axes(spec, element, joint)
    if joint.type != "fixed":
        _check_freedoms(spec, element, joint)


def _check_axes(spec: ModelSpec, element: str, joint: JointSpec) -> None:
    if joint.second_axis is not None and joint.type not in ("universal", "rolling_disc", "knife_edge"):
        hint = "only a universal joint, a rolling disc and a knife edge have one"
        raise fault(spec, element, f"a {joint.type} joint has no second axis", hint, joint)
    if converted(spec, element, joint, "pitch", number) and joint.type != "helical":
        hint = "only a helical joint has one"
        raise fault(spec, element, f"a {joint.type} joint has no pitch", hint, joint)
    _check_size(spec, element, joint, "length", ("distance", "rope"), "the distance between its two points")
    _check_size(spec, element, joint, "radius", ("rolling_disc",), "the radius of the disc")
    directions = [np.eye(3)[0], np.eye(3)[1]]
    for index, name in enumerate(("axis", "second_axis")):
        if joint.type != "fixed" and getattr(joint, name) is not None:
            axis = converted(spec, element, joint, name, vector)
            if np.abs(axis).max() > _LARGEST:
                raise fault(spec, element, f"{name} is too long", "only its direction counts", joint)
            length = np.linalg.norm(axis)
            if length < 1e-12:
                hint = "give it a direction, such as (0, 0, 1)"
                raise fault(spec, element, f"{name} is zero", hint, joint)
            directions[index] = axis / length
    if joint.type == "universal" and np.linalg.norm(np.cross(*directions)) < 1e-5:
        hint = "make them perpendicular"
        raise fault(spec, element, "the two axes of a universal joint are parallel", hint, joint)


def _check_size(
    spec: ModelSpec, element: str, joint: JointSpec, name: str, types: Sequence[str], what: str
) -> None:
    """A length (m) that some types of joint need and the others do not have."""
    if joint.type not in types:
        if getattr(joint, name) is not None:
            hint = f"only joints of the type {' and '.join(types)} have one"
            raise fault(spec, element, f"a {joint.type} joint has no {name}", hint, joint)
        return
    hint = f"give {what} in m"
    if getattr(joint, name) is None:
        raise fault(spec, element, f"a {joint.type} joint needs a {name}", hint, joint)
    if converted(spec, element, joint, name, number) <= 0.0:
        raise fault(spec, element, f"its {name} is not positive", hint, joint)


def _check_freedoms(spec: ModelSpec, element: str, joint: JointSpec) -> None:
    kind = joint_class(joint.type)
    count = len(kind.velocities)
    if count == 0:
        _check_rigid(spec, element, joint)
        return

    def values(name: str, absent: float = 0.0) -> tuple[float, ...]:
        return converted(spec, element, joint, name, lambda value: freedoms(value, count, absent))

    lower, upper = values("lower", -math.inf), values("upper", math.inf)
    limited = any(map(math.isfinite, (*lower, *upper)))
    crossed = any(low > high for low, high in zip(lower, upper, strict=True))
    if crossed or math.inf in lower or -math.inf in upper:
        raise fault(spec, element, "its lower limit is above its upper limit", "exchange them", joint)
    if limited and joint.type == "continuous":
        raise fault(spec, element, "a continuous joint has no position limits", "make it revolute", joint)
    if limited and len(kind.positions) != count:
        hint = "leave lower and upper out"
        raise fault(spec, element, f"a {joint.type} joint cannot have position limits yet", hint, joint)
    if limited and joint.type == "rope":
        hint = "give its length alone"
        raise fault(spec, element, "a rope has no lower and upper limit", hint, joint)
    bounces = values("limit_restitution")
    if any(x > 1.0 for x in bounces):
        hint = "it is the speed after over the speed before, from 0 to 1"
        raise fault(spec, element, "limit_restitution is above 1", hint, joint)
    yielding = zip(values("limit_stiffness"), values("limit_damping"), bounces, strict=True)
    if any(stiffness + damping > 0.0 and bounce > 0.0 for stiffness, damping, bounce in yielding):
        hint = "leave limit_restitution out, or make the limit rigid"
        raise fault(spec, element, "a compliant limit has no restitution", hint, joint)
    for name in ("effort", "speed"):
        if any(x < 0.0 for x in values(name, math.inf)):
            hint = "give its magnitude, or None for no limit"
            raise fault(spec, element, f"its {name} limit is negative", hint, joint)
    limit = ("limit_restitution", "limit_stiffness", "limit_damping")
    for name in ("damping", "friction", "stiffness", "armature", "reference", *limit):
        given = values(name)
        if not all(map(math.isfinite, given)):
            raise fault(spec, element, f"{name} needs finite numbers", "use a large number instead", joint)
        if name != "reference" and any(x < 0.0 for x in given):
            raise fault(spec, element, f"{name} is negative", "it must be zero or positive", joint)
        if name == "stiffness" and any(given) and len(kind.positions) != count:
            hint = "use revolute or universal joints, or apply the spring as a force"
            raise fault(spec, element, f"a {joint.type} joint cannot have a spring", hint, joint)


def _check_rigid(spec: ModelSpec, element: str, joint: JointSpec) -> None:
    """That a joint which has no freedom states nothing about one."""
    for item in fields(joint):
        if item.name in _OF_FREEDOMS and plain(getattr(joint, item.name)) != plain(item.default):
            message = f"a {joint.type} joint is rigid, so that its {item.name} would act on nothing"
            hint = "leave it out, or use a spring (add_spring) or a rope instead"
            raise fault(spec, element, message, hint, joint)


def _check_frame(spec: ModelSpec, frame: FrameSpec, known: set[str]) -> None:
    element = f'frame "{frame.name}"'
    check_body_name(spec, element, frame, "body", known)
    converted(spec, element, frame, "position", vector)
    converted(spec, element, frame, "rotation", rotation_matrix)


def _check_tree(spec: ModelSpec) -> list[JointSpec]:
    """The joints of the tree; ModelError if they do not reach every body."""
    tree, loops = spanning_tree(spec)
    for joint in loops:
        if joint.parent == joint.child:
            hint = "name two different bodies"
            raise fault(spec, f'joint "{joint.name}"', "connects a body with itself", hint, joint)
        _check_turns(spec, joint)
    reached = {joint.child for joint in tree}
    if len(reached) < len(spec.bodies):
        raise _unreached(spec, reached)
    return tree


def _check_turns(spec: ModelSpec, joint: JointSpec) -> None:
    """That the angles of a joint which closes a loop have ranges in which they are unique."""
    if joint.type == "fixed" or (joint.type == "helical" and joint.pitch):
        return
    units = joint_class(joint.type).velocity_units
    lower, upper = freedoms(joint.lower, len(units), -np.inf), freedoms(joint.upper, len(units), np.inf)
    for unit, low, high in zip(units, lower, upper, strict=True):
        if unit == "rad/s" and 2.0 * np.pi <= high - low < np.inf:
            message = "its angle is known within one turn, for it closes a loop, and its limits are wider"
            hint = "leave the limits out, or let another joint close the loop"
            raise fault(spec, f'joint "{joint.name}"', message, hint, joint)


def _unreached(spec: ModelSpec, reached: set[str]) -> ModelError:
    """What keeps the walk from the world from reaching all bodies."""
    above: dict[str, JointSpec] = {}
    for joint in sorted(spec.joints, key=lambda joint: joint.type in TIE_TYPES):
        above.setdefault(joint.child, joint)
        if joint.child in reached and joint.parent is not None and joint.parent not in reached:
            message = f'leads from "{joint.parent}", which no joint connects to the world, to "{joint.child}"'
            hint = "exchange its predecessor (parent) and successor (child)"
            return fault(spec, f'joint "{joint.name}"', message, hint, joint)
    for body in spec.bodies:
        tie = above.get(body.name)
        if tie is not None and tie.type in TIE_TYPES:
            hint = "add a joint that does to the same body, such as a free one"
            return fault(spec, f'joint "{tie.name}"', f"a {tie.type} joint cannot carry a body", hint, tie)
        if body.name not in above:
            hint = "add a fixed or free joint from the world (parent=None) to it"
            return fault(spec, f'body "{body.name}"', "no joint connects it to anything", hint, body)
    # every body that is left hangs on another such body, so that the parents run in circles
    body = next(body for body in spec.bodies if body.name not in reached)
    path = [body.name]
    while (name := above[path[-1]].parent) not in path:
        path.append(str(name))
    circle = " -> ".join(f'"{x}"' for x in [*path[path.index(str(name)) :], name])
    hint = "one of them must hang on the world (parent=None)"
    return fault(spec, f'body "{body.name}"', f"the parents run in a circle: {circle}", hint, body)
