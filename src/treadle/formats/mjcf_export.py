"""Write a machine as MJCF, with which MuJoCo computes the same smooth dynamics.

The tree is written: bodies, inertias, joints, rotors, springs and dampers, and gravity. Loops, couplings,
actuators, limits, dry friction and shapes are not. Nothing is repaired: MuJoCo itself refuses bodies that
move without mass and inertias that no real body can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from treadle.errors import ModelError
from treadle.model.model import WORLD, Body, Model, ModelJoint
from treadle.spatial import Inertia, Quaternion

__all__ = ["mjcf_order", "to_mjcf"]


def to_mjcf(model: Model) -> str:
    """The machine as the text of an MJCF file; its coordinates come in the order of `mjcf_order`."""
    lines = [
        _open("mujoco", model=model.name),
        "  " + _tag("compiler", angle="radian", autolimits="false", inertiafromgeom="false"),
        "  " + _tag("option", gravity=model.gravity),
        "  <worldbody>",
    ]
    # bodies that are open, from the outermost to the innermost
    path: list[int] = []
    for index in _depth_first(model):
        body = model.bodies[index]
        while path and path[-1] != body.parent:
            path.pop()
            lines.append("  " * (len(path) + 2) + "</body>")
        lines += ["  " * (len(path) + 2) + line for line in _body(body)]
        path.append(index)
    lines += ["  " * depth + "</body>" for depth in range(len(path) + 1, 1, -1)]
    return "\n".join([*lines, "  </worldbody>", "</mujoco>", ""])


def mjcf_order(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Where MuJoCo's coordinates lie in ours: qpos = q[first], qvel = v[second].

    MuJoCo numbers joints along the branches of the tree, and positions before rotations.
    """
    q: list[int] = []
    v: list[int] = []
    for index in _depth_first(model):
        joint = model.bodies[index].joint
        first, second = _ORDERS.get(joint.type.kind, (range(joint.type.nq), range(joint.type.nv)))
        q += [joint.q.start + k for k in first]
        v += [joint.v.start + k for k in second]
    return np.array(q, dtype=int), np.array(v, dtype=int)


#: MuJoCo's order of the coordinates of a joint where it is not ours.
_ORDERS = {
    "free": ((4, 5, 6, 0, 1, 2, 3), (3, 4, 5, 0, 1, 2)),
    "planar": ((1, 2, 0), (1, 2, 0)),
}


def _depth_first(model: Model) -> list[int]:
    """The bodies along the branches; without recursion, because a chain is as deep as it is long."""
    children: dict[int, list[int]] = {}
    for index, body in enumerate(model.bodies):
        children.setdefault(body.parent, []).append(index)
    order: list[int] = []
    stack = list(reversed(children.get(WORLD, [])))
    while stack:
        order.append(stack.pop())
        stack += reversed(children.get(order[-1], []))
    return order


def _body(body: Body) -> list[str]:
    """The opening tag of a body, its inertia and its joints."""
    rotation = list(Quaternion.from_matrix(body.placement.rotation))
    return [
        _open("body", name=body.name, pos=list(body.placement.translation), quat=rotation),
        "  " + _inertial(body.inertia),
        *("  " + joint for joint in _joints(body)),
    ]


def _inertial(inertia: Inertia) -> str:
    """Mass, centre of mass and the inertia about it, in the body's axes."""
    mass = float(inertia.mass)  # type: ignore[arg-type]
    moment = np.array(list(inertia.moment), dtype=float)
    center = moment / mass if mass > 0.0 else np.zeros(3)
    I = np.array(inertia.rotational.to_rows(), dtype=float)
    I -= np.dot(moment, center) * np.eye(3) - np.outer(moment, center)
    full = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return _tag("inertial", pos=center, mass=mass, fullinertia=full)


def _joints(body: Body) -> list[str]:
    """MuJoCo joints that, one after the other, move the body like its joint does."""
    joint = body.joint
    kind: Any = joint.type
    match kind.kind:
        case "revolute":
            return [_axis_joint(joint, 0, "hinge", kind.axis)]
        case "prismatic":
            return [_axis_joint(joint, 0, "slide", kind.axis)]
        case "universal":
            return [
                _axis_joint(joint, 0, "hinge", kind.axis, "first"),
                _axis_joint(joint, 1, "hinge", kind.second_axis, "second"),
            ]
        case "cylindrical":
            return [
                _axis_joint(joint, 0, "hinge", kind.axis, "turn"),
                _axis_joint(joint, 1, "slide", kind.axis, "slide"),
            ]
        case "planar":
            return [
                _axis_joint(joint, 1, "slide", kind.u, "x"),
                _axis_joint(joint, 2, "slide", kind.w, "y"),
                _axis_joint(joint, 0, "hinge", kind.axis, "turn"),
            ]
        case "ball":
            return [_group_joint(joint, "ball", range(3))]
        case "free":
            return _free(body)
    raise ModelError(
        f"MJCF has no {kind.kind} joint", element=f"joint {joint.name!r}", hint="leave it out or fix it"
    )


def _free(body: Body) -> list[str]:
    """A free joint where MuJoCo's counts from the same frame as ours, else three slides and a ball."""
    joint = body.joint
    at_origin = body.parent == WORLD and np.array_equal(body.placement.to_matrix(), np.eye(4))
    uniform = len(set(zip(joint.damping, joint.armature, strict=True))) == 1
    if at_origin and uniform:
        return [_group_joint(joint, "free", range(6))]
    axes = np.eye(3)
    slides = [_axis_joint(joint, 3 + k, "slide", axes[k], "xyz"[k]) for k in range(3)]
    return [*slides, _group_joint(joint, "ball", range(3), "turn")]


def _axis_joint(joint: ModelJoint, freedom: int, kind: str, axis: Any, part: str = "") -> str:
    """A hinge or slide for one freedom of a joint."""
    passive = {
        "stiffness": joint.stiffness[freedom],
        "springref": joint.reference[freedom],
        "damping": joint.damping[freedom],
        "armature": joint.armature[freedom],
    }
    name = f"{joint.name}_{part}" if part else joint.name
    return _tag("joint", name=name, type=kind, axis=list(axis), **_nonzero(passive))


def _group_joint(joint: ModelJoint, kind: str, freedoms: Sequence[int], part: str = "") -> str:
    """A ball or free joint, for which MuJoCo knows one damping and one rotor inertia."""
    passive = {}
    for name in ("damping", "armature"):
        values = {getattr(joint, name)[k] for k in freedoms}
        if len(values) > 1:
            hint = "give all of them the same value"
            message = f"MJCF has one {name} for all freedoms of a {kind} joint"
            raise ModelError(message, element=f"joint {joint.name!r}", hint=hint)
        passive[name] = values.pop()
    return _tag("joint", name=f"{joint.name}_{part}" if part else joint.name, type=kind, **_nonzero(passive))


def _nonzero(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != 0.0}


def _tag(element: str, /, **attributes: Any) -> str:
    return _open(element, **attributes)[:-1] + "/>"


def _open(element: str, /, **attributes: Any) -> str:
    text = [f"{key}={quoteattr(_text(value))}" for key, value in attributes.items()]
    return f"<{' '.join([element, *text])}>"


def _text(value: Any) -> str:
    """Strings as they are, numbers so that they are read back exactly."""
    if isinstance(value, str):
        return value
    return " ".join(repr(float(x)) for x in np.atleast_1d(value))
