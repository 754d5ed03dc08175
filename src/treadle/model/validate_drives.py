"""Checks of what moves and holds joints: actuators, couplings and keyframes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treadle.joints import TIE_TYPES, Joint, joint_class
from treadle.model.faults import check_names, check_not_negative, converted, fault
from treadle.model.model import suggest
from treadle.model.parts import ACTUATOR_TYPES, MUSCLE, ActuatorSpec
from treadle.model.validate_shapes import check_choice
from treadle.model.values import number, plain, vector

if TYPE_CHECKING:
    from treadle.model.parts import CouplingSpec, KeyframeSpec
    from treadle.model.spec import JointSpec, ModelSpec

__all__ = ["validate_drives"]

#: What an actuator uses besides the fields that all of them use.
_USED = {
    "motor": ("gain",),
    "position": ("stiffness", "damping"),
    "velocity": ("damping",),
    "general": ("gain", "bias"),
    "rigid_position": (),
    "rigid_velocity": (),
    "muscle": ("gain", "muscle"),
    "cylinder": ("areas", "pressure", "relief", "bulk_modulus", "flow", "leakage", "dead_volume"),
}


def validate_drives(spec: ModelSpec, tree: list[JointSpec]) -> list[str]:
    """Raise ModelError at the first mistake; otherwise return what has no effect, one sentence each."""
    for kind, items in (
        ("actuator", spec.actuators),
        ("coupling", spec.couplings),
        ("keyframe", spec.keyframes),
    ):
        check_names(spec, [(kind, item) for item in items])
    joints = {joint.name: joint for joint in tree if joint.type != "fixed"}
    for coupling in spec.couplings:
        _check_coupling(spec, coupling, joints)
    for keyframe in spec.keyframes:
        _check_keyframe(spec, keyframe, joints)
    return [line for actuator in spec.actuators for line in _check_actuator(spec, actuator, joints)]


def _joint_type(
    spec: ModelSpec, element: str, item: Any, role: str, name: Any, joints: dict[str, JointSpec]
) -> type[Joint]:
    """The type of a joint that a part refers to by its name; ModelError if it has no coordinates."""
    if isinstance(name, str) and name in joints:
        return joint_class(joints[name].type)
    found = next((joint for joint in spec.joints if joint.name == name), None)
    if found is None:
        hint = suggest(name, list(joints))
        raise fault(spec, element, f"its {role} {name!r} is not a joint of {spec.name!r}", hint, item)
    if found.type == "fixed":
        raise fault(spec, element, f"its {role} {name!r} is fixed", "name a joint that moves", item)
    if found.type in TIE_TYPES:
        hint = "name a joint that carries a body"
        raise fault(spec, element, f"its {role} {name!r} is a {found.type} joint", hint, item)
    message = f"its {role} {name!r} closes a loop, so that its position follows from those of the others"
    hint = f"list it before the joint that now holds {found.child!r}, which then closes the loop instead"
    raise fault(spec, element, message, hint, item)


def _check_actuator(spec: ModelSpec, actuator: ActuatorSpec, joints: dict[str, JointSpec]) -> list[str]:
    element = f'actuator "{actuator.name}"'
    check_choice(spec, element, actuator, "type", ACTUATOR_TYPES)
    converted(spec, element, actuator, "gain", number)
    converted(spec, element, actuator, "bias", vector)
    names = ("stiffness", "damping", "pressure", "bulk_modulus", "flow", "leakage", "dead_volume")
    for name in (*names, "time_constant"):
        check_not_negative(spec, element, actuator, name)
    _check_limits(spec, element, actuator)
    _check_muscle(spec, element, actuator)
    if actuator.tendon is None:
        lines = _check_driven_joint(spec, element, actuator, joints)
    else:
        _check_driven_tendon(spec, element, actuator)
        lines = []
    unused = _unused(actuator)
    if unused:
        lines.append(f"{element}: a {actuator.type} drive does not use {', '.join(unused)}")
    return lines


def _check_driven_joint(
    spec: ModelSpec, element: str, actuator: ActuatorSpec, joints: dict[str, JointSpec]
) -> list[str]:
    """That its joint has what it drives; what has no effect."""
    kind = _joint_type(spec, element, actuator, "joint", actuator.joint, joints)
    freedom, count = actuator.freedom, len(kind.velocities)
    if isinstance(freedom, bool) or not isinstance(freedom, int) or not 0 <= freedom < count:
        hint = f"joint {actuator.joint!r} has {count}, counted from 0"
        raise fault(spec, element, f"its joint has no degree of freedom {freedom!r}", hint, actuator)
    follows = actuator.type in ("position", "rigid_position", "muscle")
    follows = follows or (actuator.type == "general" and actuator.bias[1] != 0.0)
    if follows and len(kind.positions) != count:
        hint = "use a motor or a velocity drive"
        raise fault(spec, element, f"a {kind.kind} joint has no single position to follow", hint, actuator)
    return _check_cylinder(spec, element, actuator, kind) if actuator.type == "cylinder" else []


def _check_driven_tendon(spec: ModelSpec, element: str, actuator: ActuatorSpec) -> None:
    known = [tendon.name for tendon in spec.tendons]
    if actuator.tendon not in known:
        message = f"its tendon {actuator.tendon!r} is not a tendon of {spec.name!r}"
        raise fault(spec, element, message, suggest(actuator.tendon, known), actuator)
    if actuator.joint:
        raise fault(spec, element, "drives a joint and a tendon", "remove one of the two", actuator)
    if actuator.type in ("cylinder", "rigid_position", "rigid_velocity"):
        hint = "use a motor, a position, velocity or general drive, or a muscle"
        raise fault(spec, element, f"a {actuator.type} drive cannot pull on a tendon", hint, actuator)


def _check_muscle(spec: ModelSpec, element: str, actuator: ActuatorSpec) -> None:
    """Names and order of the parameters."""
    unknown = [name for name in actuator.muscle if name not in MUSCLE]
    if unknown:
        hint = suggest(unknown[0], list(MUSCLE))
        raise fault(spec, element, f"a muscle has no parameter {unknown[0]!r}", hint, actuator)
    try:
        values = {name: number(actuator.muscle.get(name, default)) for name, (default, _) in MUSCLE.items()}
    except ValueError as error:
        raise fault(spec, element, f"a parameter of its muscle {error}", None, actuator) from None
    for low, high in (("lower_length", "upper_length"), ("lower", "upper"), ("lmin", "lmax")):
        if values[low] >= values[high]:
            message = f"{high} of its muscle is not above {low}"
            raise fault(spec, element, message, "exchange them", actuator)
    if not values["lmin"] < 1.0 < values["lmax"]:
        hint = "lengths count in optimal fibre lengths"
        raise fault(spec, element, "lmin and lmax of its muscle do not enclose 1", hint, actuator)
    for name in ("vmax", "activation_time", "deactivation_time"):
        if values[name] <= 0.0:
            raise fault(spec, element, f"{name} of its muscle is not positive", None, actuator)
    if values["force"] < 0.0:
        raise fault(
            spec, element, "force of its muscle is negative", "a muscle pulls: give its size", actuator
        )


def _check_limits(spec: ModelSpec, element: str, actuator: ActuatorSpec) -> None:
    """Of commands, force and pressure; an infinite one is none."""
    limits = {"lower": -math.inf, "upper": math.inf, "effort": math.inf, "relief": math.inf}
    for name in limits:
        if getattr(actuator, name) is not None:
            limits[name] = converted(spec, element, actuator, name, _limit)
    if limits["lower"] > limits["upper"]:
        raise fault(spec, element, "its lower command is above its upper one", "exchange them", actuator)
    for name in ("effort", "relief"):
        if limits[name] < 0.0:
            hint = "give its magnitude, or None for no limit"
            raise fault(spec, element, f"its {name} limit is negative", hint, actuator)


def _limit(value: Any) -> float:
    return value if isinstance(value, float) and math.isinf(value) else number(value)


def _check_cylinder(spec: ModelSpec, element: str, actuator: ActuatorSpec, kind: type[Joint]) -> list[str]:
    if kind.velocity_units[actuator.freedom] != "m/s":
        message = f"a cylinder needs a dof that slides, and that of joint {actuator.joint!r} turns"
        raise fault(spec, element, message, "put it on a prismatic joint", actuator)
    areas = converted(spec, element, actuator, "areas", lambda value: vector(plain(value), 2))
    if (areas <= 0.0).any():
        hint = "give the piston's area on the cap side and on the rod side, in m2"
        raise fault(spec, element, "areas are not positive", hint, actuator)
    if actuator.bulk_modulus == 0.0:
        raise fault(spec, element, "bulk_modulus is zero", "leave it out for that of oil", actuator)
    missing = [name for name in ("pressure", "flow") if getattr(actuator, name) == 0.0]
    return [f"{element}: it cannot move, for it has no {' and no '.join(missing)}"] if missing else []


def _unused(actuator: ActuatorSpec) -> list[str]:
    """Fields that are stated but have no meaning for this type of actuator."""
    fresh = ActuatorSpec("", "")
    others = {name for names in _USED.values() for name in names} - set(_USED[actuator.type])
    return sorted(name for name in others if plain(getattr(actuator, name)) != getattr(fresh, name))


def _check_coupling(spec: ModelSpec, coupling: CouplingSpec, joints: dict[str, JointSpec]) -> None:
    element = f'coupling "{coupling.name}"'
    if not isinstance(coupling.terms, Mapping):
        hint = 'such as {"left": 0.5, "right": 0.5}'
        raise fault(spec, element, "terms need joint names with ratios", hint, coupling)
    named = [("joint", coupling.joint), ("source", coupling.source), *[("term", x) for x in coupling.terms]]
    for role, name in named:
        if role == "source" and name is None:
            continue
        kind = _joint_type(spec, element, coupling, role, name, joints)
        if len(kind.positions) != 1:
            hint = "couple joints with one degree of freedom, such as revolute ones"
            raise fault(spec, element, f"its {role} {name!r} has several degrees of freedom", hint, coupling)
    if coupling.joint in (coupling.source, *coupling.terms):
        hint = "name another joint as its source, or None to hold the joint"
        raise fault(spec, element, f"couples joint {coupling.joint!r} to itself", hint, coupling)
    converted(
        spec, element, coupling, "terms", lambda terms: vector(list(terms.values()) or [0.0], len(terms) or 1)
    )
    given = plain(coupling.coefficients)
    if not isinstance(given, tuple) or not given:
        hint = "give them from the constant up: (offset, ratio)"
        raise fault(spec, element, "has no coefficients", hint, coupling)
    values = converted(spec, element, coupling, "coefficients", lambda value: vector(value, len(given)))
    if coupling.source is None and values[1:].any():
        hint = "name the source, or give the constant alone"
        raise fault(spec, element, "has a ratio but no source", hint, coupling)


def _check_keyframe(spec: ModelSpec, keyframe: KeyframeSpec, joints: dict[str, JointSpec]) -> None:
    element = f'keyframe "{keyframe.name}"'
    for role in ("positions", "velocities"):
        given = getattr(keyframe, role)
        if not isinstance(given, dict):
            hint = 'such as {"elbow": 0.5}'
            raise fault(spec, element, f"{role} need joint names with values", hint, keyframe)
        for name, value in given.items():
            kind = _joint_type(spec, element, keyframe, "joint", name, joints)
            count = len(getattr(kind, role))
            try:
                numbers = plain(value)
                numbers = vector(numbers if isinstance(numbers, tuple) else (numbers,), count)
                if role == "positions":
                    kind().normalize(numbers.tolist())
            except ValueError as error:
                raise fault(spec, element, f"{role} of joint {name!r}: {error}", None, keyframe) from None
