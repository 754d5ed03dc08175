"""Parts that are put into a machine where it is, and taken out of it: rods, ropes, springs, pins, bodies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.model.spec import ModelSpec
from treadle.model.tree import spanning_tree

__all__ = ["ADDED", "REMOVABLE", "Ends", "add_part", "remove_part", "removable"]

#: 4 x 4 pose of a link in the world (m), by its name; of the world where it is None.
Poses = Callable[[str | None], np.ndarray]


@dataclass(frozen=True)
class Ends:
    """Two links (None: the world), and a point on each in its own axes (m)."""

    first: str | None
    second: str | None
    first_point: tuple[float, ...] = (0.0, 0.0, 0.0)
    second_point: tuple[float, ...] = (0.0, 0.0, 0.0)


#: What can be added, with what its number means; 0 takes one that suits.
ADDED = {
    "spring": "stiffness (N/m); 0: one that carries the weight of the second body at a tenth of its length",
    "rod": "length (m); 0: as far apart as the points are",
    "rope": "longest length (m); 0: as far apart as the points are",
    "ball loop": "the second body is pinned to the first at the first point; no number",
    "fixed loop": "the second body is fixed to the first where it is; no number",
    "motion": "speed (rad/s or m/s) that the joint of the second body is moved with, whatever it takes",
    "body": "mass (kg) of a ball that hangs on the first body at its point; 0: a tenth of its mass",
}

#: Kinds of parts that can be removed, and the lists of the description.
REMOVABLE = {"joint": "joints", "element": "elements", "actuator": "actuators", "body": "bodies"}


def add_part(spec: ModelSpec, kind: str, ends: Ends, number: float, poses: Poses) -> str:
    """Add a part between points of a machine where it is now; its name."""
    if kind not in ADDED:
        raise InputError(f"what is added must be one of {', '.join(ADDED)}, not {kind!r}")
    if not math.isfinite(number) or (number < 0.0 and kind != "motion"):
        raise InputError(f"{kind}: the number must not be negative, not {number:g}")
    for name in (ends.first, ends.second):
        if name is not None and not any(body.name == name for body in spec.bodies):
            raise InputError(f"there is no body {name!r}")
    name = _unused(spec, kind.replace(" ", "_"))
    if kind == "body":
        _add_body(spec, name, ends, number)
        return name
    if kind == "motion":
        _add_motion(spec, name, ends.second)
        return name
    if ends.first == ends.second:
        raise InputError(
            f"a {kind} is between two bodies, or a body and the world, not of {ends.first!r} alone"
        )
    if ends.second is None:
        # joints lead to a body
        ends = Ends(ends.second, ends.first, ends.second_point, ends.first_point)
    first, second = poses(ends.first), poses(ends.second)
    one, other = first @ np.array([*ends.first_point, 1.0]), second @ np.array([*ends.second_point, 1.0])
    apart = float(np.linalg.norm((one - other)[:3]))
    if kind == "spring":
        _add_spring(spec, name, ends, number, apart)
    elif kind in ("rod", "rope"):
        _add_tie(spec, name, kind, ends, number or apart)
    else:
        X = np.linalg.inv(second) @ first
        place = X @ np.array([*ends.first_point, 1.0])
        spec.add_joint(
            name,
            kind.removesuffix(" loop"),
            ends.first,
            str(ends.second),
            position=ends.first_point,
            child_position=tuple(place[:3].tolist()),
            child_rotation=tuple(map(tuple, X[:3, :3].tolist())),
        )
    return name


def removable(spec: ModelSpec) -> list[str]:
    """What can be removed, as "kind name"."""
    return [f"{kind} {item.name}" for kind, parts in REMOVABLE.items() for item in getattr(spec, parts)]


def remove_part(spec: ModelSpec, kind: str, name: str) -> None:
    """Remove a part with what stands on it; a joint of the tree leaves its body free."""
    found = [item for item in getattr(spec, REMOVABLE[kind]) if item.name == name]
    if not found:
        raise InputError(f"there is no {kind} named {name!r}")
    if kind == "joint":
        _remove_joint(spec, name)
    elif kind == "body":
        _remove_body(spec, name)
    else:
        getattr(spec, REMOVABLE[kind]).remove(found[0])


def _add_body(spec: ModelSpec, name: str, ends: Ends, mass: float) -> None:
    carrier = next((body for body in spec.bodies if body.name == ends.first), None)
    mass = mass or 0.1 * (carrier.mass if carrier is not None else 10.0) or 1.0
    # of water's density
    radius = (3.0 * mass / (4.0 * math.pi * 1000.0)) ** (1.0 / 3.0)
    center = (0.0, 0.0, -3.0 * radius)
    spec.add_body(name, mass, center=center, type="sphere", size=(radius,))
    spec.add_joint(f"{name}_joint", "ball", ends.first, name, position=ends.first_point)
    spec.add_shape(f"{name}_shape", name, "sphere", (radius,), position=center, color=(0.85, 0.5, 0.1, 1.0))


def _add_motion(spec: ModelSpec, name: str, body: str | None) -> None:
    """A drive on the joint of a body that is too strong to be held up; its speed is its command."""
    joint = next((joint for joint in spanning_tree(spec)[0] if joint.child == body), None)
    if joint is None or joint.type not in ("revolute", "continuous", "prismatic"):
        raise InputError(f"a motion needs a body on a joint that turns or slides, which {body!r} is not")
    if any(actuator.joint == joint.name for actuator in spec.actuators):
        raise InputError(f"the joint {joint.name!r} has a drive already, which moves it")
    # as if a weight of the whole machine a metre away were slowed down within a hundredth of a second
    mass = sum(float(link.mass) for link in spec.bodies)
    spec.add_actuator(name, "velocity", joint.name, damping=100.0 * max(mass, 1e-3))


def _add_spring(spec: ModelSpec, name: str, ends: Ends, stiffness: float, apart: float) -> None:
    if apart == 0.0:
        raise InputError("a spring needs two points that are apart from each other")
    mass = next(body.mass for body in spec.bodies if body.name == ends.second)
    stiffness = stiffness or max(mass, 1e-3) * 9.81 / (0.1 * apart)
    # a tenth of critical damping
    damping = 0.2 * math.sqrt(stiffness * max(mass, 1e-3))
    spec.add_spring(
        name, ends.first, ends.second, ends.first_point, ends.second_point,
        stiffness=stiffness, damping=damping, length=apart,
    )  # fmt: skip


def _add_tie(spec: ModelSpec, name: str, kind: str, ends: Ends, length: float) -> None:
    if length == 0.0:
        raise InputError(f"a {kind} needs two points that are apart from each other, or a length")
    spec.add_joint(
        name,
        {"rod": "distance", "rope": "rope"}[kind],
        ends.first,
        str(ends.second),
        position=ends.first_point,
        child_position=ends.second_point,
        length=length,
    )


def _remove_joint(spec: ModelSpec, name: str) -> None:
    tree = {joint.name for joint in spanning_tree(spec)[0]}
    joint = next(joint for joint in spec.joints if joint.name == name)
    _drop_users(spec, name)
    number = spec.joints.index(joint)
    if name not in tree:
        spec.joints.pop(number)
        return
    if joint.type == "free":
        raise InputError(f"{joint.child!r} is free already; remove the body instead of the joint {name!r}")
    spec.joints[number] = type(joint)(
        name, "free", joint.parent, joint.child, position=joint.position, rotation=joint.rotation,
        child_position=joint.child_position, child_rotation=joint.child_rotation,
    )  # fmt: skip


def _remove_body(spec: ModelSpec, name: str) -> None:
    carried = [joint.child for joint in spanning_tree(spec)[0] if joint.parent == name]
    if carried:
        raise InputError(f"{name!r} carries {', '.join(map(repr, carried))}; remove these first")
    frames = {name} | {frame.name for frame in spec.frames if frame.body == name}
    for joint in [joint for joint in spec.joints if name in (joint.parent, joint.child)]:
        _drop_users(spec, joint.name)
        spec.joints.remove(joint)
    _drop(spec.shapes, lambda shape: shape.body in frames)
    _drop(spec.elements, lambda element: bool(frames & set(element.frames)))
    _drop(spec.sensors, lambda sensor: sensor.on in frames)
    _drop(spec.contacts, lambda rule: bool(frames & {rule.first, rule.second}))
    _drop(spec.frames, lambda frame: frame.body == name)
    _drop(spec.bodies, lambda body: body.name == name)


def _drop_users(spec: ModelSpec, joint: str) -> None:
    """Remove what drives, measures or couples a joint."""
    _drop(spec.actuators, lambda actuator: actuator.joint == joint)
    _drop(spec.wheels, lambda wheel: wheel.joint == joint)
    _drop(spec.couplings, lambda coupling: joint in (coupling.joint, coupling.source, *coupling.terms))
    _drop(spec.sensors, lambda sensor: sensor.on == joint)


def _drop(parts: list[Any], unwanted: Callable[[Any], bool]) -> None:
    parts[:] = [part for part in parts if not unwanted(part)]


def _unused(spec: ModelSpec, stem: str) -> str:
    """A name that no part has yet."""
    lists: Sequence[Any] = (
        spec.bodies, spec.joints, spec.frames, spec.shapes, spec.elements, spec.actuators
    )  # fmt: skip
    taken = {part.name for parts in lists for part in parts}
    number = next(k for k in range(1, 10**6) if not {f"{stem}_{k}", f"{stem}_{k}_joint"} & taken)
    return f"{stem}_{number}"
