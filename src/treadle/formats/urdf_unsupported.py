"""Parts of a machine that URDF does not support."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.urdf_drives import SCALAR_TYPES
from treadle.formats.urdf_write_sensors import sensor_findings
from treadle.formats.urdf_write_shapes import SHAPES, shapes_of
from treadle.model import ActuatorSpec, ModelSpec
from treadle.model.finding import Finding
from treadle.model.tree import spanning_tree
from treadle.model.values import plain

__all__ = ["mimics", "motors", "unsupported"]


#: Fields of limits that are compliant or have restitution.
_LIMIT = ("limit_restitution", "limit_stiffness", "limit_damping")


def unsupported(spec: ModelSpec) -> list[Finding]:
    """One finding for each kind of part that is left out; a warning where it changes the motion."""
    tree, loops = spanning_tree(spec)
    followers = mimics(spec)
    couplings = [item.name for item in spec.couplings if not _is_written(item, followers)]
    drives = {id(motor) for motor in motors(spec)}
    several = [joint for joint in tree if joint.type in ("planar", "free")]
    stated = ("lower", "upper", "effort", "speed", "damping", "friction")
    warnings = {
        "joints that close loops left out": [joint.name for joint in loops],
        "couplings left out, for they are not linear, have not one source or are not the first": couplings,
        "force elements left out": [item.name for item in spec.elements],
        "tendons left out": [item.name for item in spec.tendons],
        "springs left out": [joint.name for joint in tree if _given(joint.stiffness)],
        "limits that yield or throw back, written as rigid ones": [
            joint.name for joint in tree if any(_given(getattr(joint, name)) for name in _LIMIT)
        ],
        "rotor inertias (armature) left out": [joint.name for joint in tree if _given(joint.armature)],
        "planar and free joints whose limits, damping and friction are left out": [
            joint.name for joint in several if any(_given(getattr(joint, name)) for name in stated)
        ],
        "actuators left out": [item.name for item in spec.actuators if id(item) not in drives],
        "shapes left out": [shape.name for shape in shapes_of(spec) if shape.type not in SHAPES],
    }
    notes = {
        "capsules written as a cylinder and two spheres": [
            shape.name for shape in shapes_of(spec) if shape.type == "capsule"
        ],
        "colours of collision shapes left out": [
            shape.name for shape in spec.shapes if shape.role == "collision" and shape.color is not None
        ],
        "limits of commands and forces of motors left out": [
            motor.name for motor in motors(spec) if _has_own_limits(spec, motor)
        ],
        "materials left out": [material.name for material in spec.materials],
        "rules of contact left out": [
            f"{c.first or 'world'} and {c.second or 'world'}" for c in spec.contacts
        ],
        **sensor_findings(spec),
        "wheels left out": [wheel.name for wheel in spec.wheels],
        "keyframes left out": [keyframe.name for keyframe in spec.keyframes],
        "settings left out": list(spec.settings),
        "geometry left out": [spec.geometry] if spec.geometry is not None else [],
    }
    lines = [Finding(what, names, "warning") for what, names in warnings.items() if names]
    lines += [Finding(what, names) for what, names in notes.items() if names]
    if plain(spec.gravity) != ModelSpec().gravity:
        hint = f"load the file with gravity={plain(spec.gravity)}"
        lines.append(Finding("gravity left out", severity="warning", hint=hint))
    return lines


def mimics(spec: ModelSpec) -> dict[str, tuple[str, float, float]]:
    """Joints that mimic another one: its name, the offset and the ratio."""
    joints = {joint.name for joint in spanning_tree(spec)[0] if joint.type in SCALAR_TYPES}
    found: dict[str, tuple[str, float, float]] = {}
    for coupling in spec.couplings:
        linear = _linear(coupling)
        if linear is None or coupling.joint in found or not {coupling.joint, linear[0]} <= joints:
            continue
        # a cycle of mimic joints cannot be read back
        leader: str | None = linear[0]
        while leader is not None and leader != coupling.joint:
            leader = found[leader][0] if leader in found else None
        if leader is None:
            found[coupling.joint] = linear
    return found


def _is_written(coupling: Any, followers: dict[str, tuple[str, float, float]]) -> bool:
    linear = _linear(coupling)
    return linear is not None and followers.get(coupling.joint) == linear


def _linear(coupling: Any) -> tuple[str, float, float] | None:
    """Source, offset and ratio of a coupling, if it has one source and no higher powers."""
    offset, ratio, *others = *plain(coupling.coefficients), 0.0, 0.0
    return (
        None if coupling.source is None or coupling.terms or any(others) else (coupling.source, offset, ratio)
    )


def motors(spec: ModelSpec) -> list[ActuatorSpec]:
    """The actuators that can be written as transmissions."""
    joints = {joint.name for joint in spec.joints if joint.type in SCALAR_TYPES}
    return [item for item in spec.actuators if item.type == "motor" and item.joint in joints and item.gain]


def _has_own_limits(spec: ModelSpec, motor: ActuatorSpec) -> bool:
    """Whether a motor has limits that do not follow from those of its joint."""
    effort = next(joint.effort for joint in spec.joints if joint.name == motor.joint)
    return (motor.lower, motor.upper) != (None, None) or motor.effort not in (None, effort)


def _given(value: Any) -> bool:
    """Whether a degree of freedom has a value: a number other than 0, or a limit."""
    return any(x is not None and x != 0.0 for x in np.atleast_1d(np.array(plain(value), dtype=object)))
