"""The tree of a machine as MJCF, with which MuJoCo computes the same smooth dynamics as fast as it can.

Links that are fixed together are one body. Bodies, inertias, joints, rotors, springs and dampers, and
gravity are written; limits, friction, loops, shapes and the like, which cost MuJoCo time, are not:
`mjcf_write` writes those. Nothing is repaired: MuJoCo itself refuses bodies that move without mass and
inertias that no real body can have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.errors import ModelError
from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_write_joints import JointPart, joint_parts
from treadle.formats.mjcf_write_tree import depth_first
from treadle.model.model import WORLD, Body, Model, ModelJoint
from treadle.spatial import Inertia, Quaternion

__all__ = ["mjcf_order", "to_mjcf"]


def to_mjcf(model: Model) -> str:
    """The machine as the text of an MJCF file; its coordinates come in the order of `mjcf_order`."""
    root = Element("mujoco", model=model.name)
    root.add("compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    root.add("option", gravity=model.gravity)
    elements = {WORLD: root.add("worldbody")}
    for index in depth_first(model):
        body = model.bodies[index]
        elements[index] = _add_body(elements[body.parent], body)
    return root.text()


def mjcf_order(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Where MuJoCo's coordinates lie in ours: qpos = q[first], qvel = v[second].

    MuJoCo numbers joints along the branches of the tree, and positions before rotations.
    """
    q: list[int] = []
    v: list[int] = []
    for index in depth_first(model):
        joint = model.bodies[index].joint
        for part in _parts(model.bodies[index]):
            q += [joint.q.start + place for place, _ in part.q]
            v += [joint.v.start + place for place, _ in part.v]
    return np.array(q, dtype=int), np.array(v, dtype=int)


def _add_body(parent: Element, body: Body) -> Element:
    """A body with its inertia and its joints."""
    rotation = list(Quaternion.from_matrix(body.placement.rotation))
    position = np.array(list(body.placement.translation), dtype=float)
    element = parent.add("body", name=body.name, pos=position, quat=rotation)
    element.add("inertial", **_inertial(body.inertia))
    for part in _parts(body):
        name = f"{body.joint.name}_{part.suffix}" if part.suffix else body.joint.name
        element.add("joint", name=name, type=part.kind, axis=part.axis, **_passive(body.joint, part))
    return element


def _inertial(inertia: Inertia) -> dict[str, Any]:
    """Mass, centre of mass and the inertia about it, in the body's axes."""
    mass = float(inertia.mass)  # type: ignore[arg-type]
    moment = np.array(list(inertia.moment), dtype=float)
    center = moment / mass if mass > 0.0 else np.zeros(3)
    I = np.array(inertia.rotational.to_rows(), dtype=float)
    I -= np.dot(moment, center) * np.eye(3) - np.outer(moment, center)
    full = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return {"pos": center, "mass": mass, "fullinertia": full}


def _parts(body: Body) -> list[JointPart]:
    if body.joint.type.kind == "helical":
        element, hint = f"joint {body.joint.name!r}", "leave it out or fix it"
        raise ModelError("MJCF has no helical joint", element=element, hint=hint)
    return joint_parts(body)


def _passive(joint: ModelJoint, part: JointPart) -> dict[str, Any]:
    """Spring, damper and rotor; MuJoCo knows one damping and one rotor inertia per joint."""
    names = ("stiffness", "damping", "armature") if len(part.dofs) == 1 else ("damping", "armature")
    values: dict[str, Any] = {}
    for name in names:
        given = {getattr(joint, name)[k] for k in part.dofs}
        if len(given) > 1:
            hint = "give all of them the same value"
            message = f"MJCF has one {name} for all degrees of freedom of a {part.kind} joint"
            raise ModelError(message, element=f"joint {joint.name!r}", hint=hint)
        values[name] = given.pop() or None
    if values.get("stiffness"):
        values["springref"] = joint.reference[part.dofs[0]] or None
    return values
