"""Joints as MJCF has them: hinges, slides, balls and free joints that, one after the other, move alike.

| joint | in MJCF |
|---|---|
| revolute, prismatic | hinge, slide |
| universal | two hinges |
| cylindrical | hinge, slide |
| planar | two slides, hinge |
| helical | hinge and slide, held together by an equality constraint |
| free, not from the world's origin or with uneven damping | three slides, ball |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treadle.formats.mjcf_notes import Notes
from treadle.model.model import WORLD, Body, ModelJoint

__all__ = ["JointPart", "attributes", "joint_parts"]

#: What stands for no limit on one side of a joint that has one on the other.
ENDLESS = 1e10

#: Places and factors of the coordinates that a part shares with its joint.
Places = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class JointPart:
    """One MJCF joint: its type, its axis in the frame of our joint, and which coordinates it has."""

    #: what its name has after that of the joint; empty where it is the only one
    suffix: str
    kind: str
    axis: tuple[float, ...] | None
    #: qpos and qvel from the joint's own q and v
    q: Places
    v: Places
    #: degrees of freedom of our joint, in the order of MuJoCo's
    dofs: tuple[int, ...] = field(default=())


def joint_parts(body: Body) -> list[JointPart]:
    """The MJCF joints that move a body as its joint does."""
    joint: Any = body.joint.type
    match joint.kind:
        case "revolute":
            return [_single("", "hinge", joint.axis, 0)]
        case "prismatic":
            return [_single("", "slide", joint.axis, 0)]
        case "universal":
            return [
                _single("first", "hinge", joint.axis, 0),
                _single("second", "hinge", joint.second_axis, 1),
            ]
        case "cylindrical":
            return [_single("turn", "hinge", joint.axis, 0), _single("slide", "slide", joint.axis, 1)]
        case "planar":
            return [
                _single("x", "slide", joint.u, 1),
                _single("y", "slide", joint.w, 2),
                _single("turn", "hinge", joint.axis, 0),
            ]
        case "helical":
            follower = ((0, float(joint.pitch)),)
            slide = JointPart("slide", "slide", tuple(joint.axis), follower, follower)
            return [_single("", "hinge", joint.axis, 0), slide]
        case "ball":
            return [_group("", "ball", (0, 1, 2, 3), (0, 1, 2))]
    # MuJoCo's free joint gives the pose in the world, and has one number for all of its degrees of freedom
    at_origin = body.parent == WORLD and np.array_equal(body.placement.to_matrix(), np.eye(4))
    passive = zip(body.joint.damping, body.joint.armature, body.joint.friction or [0.0] * 6, strict=True)
    if at_origin and len(set(passive)) == 1:
        return [_group("", "free", (4, 5, 6, 0, 1, 2, 3), (3, 4, 5, 0, 1, 2))]
    slides = [
        JointPart("xyz"[k], "slide", tuple(np.eye(3)[k].tolist()), ((4 + k, 1.0),), ((3 + k, 1.0),), (3 + k,))
        for k in range(3)
    ]
    return [*slides, _group("turn", "ball", (0, 1, 2, 3), (0, 1, 2))]


def attributes(joint: ModelJoint, part: JointPart, name: str, notes: Notes) -> dict[str, Any]:
    """Spring, damper, friction, rotor and limits of a part; what cannot be said goes into the notes."""
    values = {} if not part.dofs else _common(joint, part, notes)
    if part.kind not in ("hinge", "slide") or not part.dofs:
        return values
    (dof,) = part.dofs
    if joint.stiffness[dof]:
        values |= {"stiffness": joint.stiffness[dof], "springref": joint.reference[dof] or None}
    low, high = joint.lower[dof], joint.upper[dof]
    if np.isfinite(low) or np.isfinite(high):
        if not (np.isfinite(low) and np.isfinite(high)):
            notes.add(f"joints limited on one side only, the other is written as {ENDLESS:g}", name)
        values["range"] = (max(low, -ENDLESS), min(high, ENDLESS))
        if any((joint.limit_restitution[dof], joint.limit_stiffness[dof], joint.limit_damping[dof])):
            what = "joints whose limits yield or throw back, written with MuJoCo's own softness"
            notes.add(what, name, "warning")
    effort = joint.effort[dof]
    if effort == 0.0:
        notes.add("joints whose largest drive force is zero, which MJCF cannot say", name)
    elif np.isfinite(effort):
        values["actuatorfrcrange"] = (-effort, effort)
    return values


def _single(suffix: str, kind: str, axis: Any, dof: int) -> JointPart:
    places = ((dof, 1.0),)
    return JointPart(suffix, kind, tuple(axis), places, places, (dof,))


def _group(suffix: str, kind: str, q: tuple[int, ...], v: tuple[int, ...]) -> JointPart:
    return JointPart(suffix, kind, None, tuple((k, 1.0) for k in q), tuple((k, 1.0) for k in v), v)


def _common(joint: ModelJoint, part: JointPart, notes: Notes) -> dict[str, Any]:
    """What every kind of joint has, one number for all of its degrees of freedom."""
    values: dict[str, Any] = {}
    for own, name in (("damping", "damping"), ("friction", "frictionloss"), ("armature", "armature")):
        given = [getattr(joint, own)[k] for k in part.dofs]
        if len(set(given)) > 1:
            what = f"{part.kind} joints whose {own} differs between degrees of freedom, written as the mean"
            notes.add(what, joint.name, "warning")
        if any(given):
            values[name] = given[0] if len(set(given)) == 1 else float(np.mean(given))
    if any(np.isfinite(joint.speed[k]) for k in part.dofs):
        notes.add("joints with a largest speed, which MJCF cannot say", joint.name)
    if part.kind in ("ball", "free") and any(np.isfinite(joint.effort[k]) for k in part.dofs):
        notes.add(f"{part.kind} joints whose largest drive force MJCF cannot say", joint.name)
    return values
