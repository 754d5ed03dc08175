"""Bodies, joints and inertias of a machine as MJCF, and where the rest of it goes.

Every link is a body of its name. Links that are fixed to another one are bodies without joints inside it. A
body's frame is its link's, and joints lie in it where they are; but the coordinates of ball and free joints
count from the joint's frame, so that a body of that frame is put in between where it is not the link's.
Bodies without mass between two joints, which MuJoCo refuses, become one body with the joints of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_inertia import body_solids
from treadle.formats.mjcf_write_joints import JointPart, attributes, joint_parts
from treadle.model.model import WORLD, Link, Model, ModelJoint
from treadle.model.placement import clean
from treadle.spatial import Quaternion, Transform

__all__ = ["Names", "Tree", "WrittenJoint", "depth_first", "pose"]

_IDENTITY = Transform.identity()
_ORDER = ("inertial", "joint", "geom", "site", "camera", "body")
_MOST_FREEDOMS = 6
_RENAMED = "names that MJCF does not allow or that are taken, changed"


def depth_first(model: Model) -> list[int]:
    """The bodies along the branches; without recursion, because a chain is as deep as it is long."""
    children = _children(model)
    order: list[int] = []
    stack = list(reversed(children.get(WORLD, [])))
    while stack:
        order.append(stack.pop())
        stack += reversed(children.get(order[-1], []))
    return order


def pose(X: Transform) -> dict[str, Any]:
    """The attributes pos and quat, without those that say nothing."""
    X = clean(X)
    position, matrix = np.array(list(X.translation), dtype=float), np.array(X.rotation.to_rows())
    turned = not np.array_equal(matrix, np.eye(3))
    return {
        "pos": position if position.any() else None,
        "quat": list(Quaternion.from_matrix(X.rotation)) if turned else None,
    }


@dataclass(frozen=True)
class WrittenJoint:
    """A joint of the file, the joint of the model that it is a part of, and which part."""

    name: str
    joint: ModelJoint
    part: JointPart


class Names:
    """Names that are still free, kind by kind."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.used: dict[str, set[str]] = {"body": {"world"}}

    def free(self, kind: str, wanted: str, own: bool = True) -> str:
        """The wanted name, longer if it is taken; `own` if it is the user's, to whom a change is told."""
        used = self.used.setdefault(kind, set())
        name = wanted or kind
        while name in used:
            name += "_"
        used.add(name)
        if own and name != wanted:
            self.notes.add(_RENAMED, f"{kind} {wanted} -> {name}")
        return name


class Tree:
    """The bodies of the file, and the joints in MuJoCo's order."""

    def __init__(self, model: Model, names: Names, notes: Notes) -> None:
        self.model, self.names, self.notes = model, names, notes
        self.world = Element("worldbody")
        self.joints: list[WrittenJoint] = []
        #: names of bodies by those of links, None being the world
        self.body_names: dict[str | None, str] = {None: "world"}
        # the element of each link and of each of our bodies, and its frame in that body
        self._links: dict[str | None, tuple[Element, Transform]] = {None: (self.world, _IDENTITY)}
        self._bodies: dict[int, tuple[Element, Transform]] = {WORLD: (self.world, _IDENTITY)}
        self._of_body: dict[int, list[Link]] = {}
        for link in model.links:
            self._of_body.setdefault(link.body, []).append(link)
        self._write()

    def on_link(self, link: str | None, X_BF: Transform) -> tuple[Element, dict[str, Any]]:
        """The element of a link, and in it the pose of a frame that is given in the link's body."""
        return self._in(*self._links[link], X_BF)

    def on_body(self, body: int, X_BF: Transform) -> tuple[Element, dict[str, Any]]:
        """The element of a body, and in it the pose of a frame that is given in the body."""
        return self._in(*self._bodies[body], X_BF)

    def parts_of(self, joint: str) -> list[WrittenJoint]:
        """The joints of the file that stand for a joint."""
        return [written for written in self.joints if written.joint.name == joint]

    def finish(self) -> Element:
        """The world, in every body of which inertia and joints come first and bodies last."""
        stack = [self.world]
        while stack:
            element = stack.pop()
            element.children.sort(key=lambda child: _ORDER.index(child.tag))
            stack += [child for child in element.children if child.tag == "body"]
        return self.world

    @staticmethod
    def _in(element: Element, X_BE: Transform, X_BF: Transform) -> tuple[Element, dict[str, Any]]:
        return element, pose(X_BE.inverse() @ X_BF)

    def _write(self) -> None:
        fixed = self._of_body.get(WORLD, [])
        for link, solid in zip(fixed, body_solids(fixed, False, self.notes), strict=True):
            if _is_world(link):
                self._links[link.name] = (self.world, _IDENTITY)
                self.body_names[link.name] = "world"
            else:
                self._add_link(self.world, _IDENTITY, link, solid)
        chain: list[int] = []
        merged = self._merged()
        for index in depth_first(self.model):
            chain.append(index)
            if index not in merged:
                self._add_body(chain)
                chain = []

    def _add_body(self, chain: list[int]) -> None:
        """A body, with the joints of those without mass before it."""
        last = chain[-1]
        body = self.model.bodies[last]
        links = sorted(self._of_body[last], key=lambda link: link.name != body.name)
        parts = [joint_parts(self.model.bodies[index]) for index in chain]
        X_BE, own_frame = self._frame(parts[-1], links[0])
        parent, X_PE = self._bodies[self.model.bodies[chain[0]].parent]
        # poses of the joints in one another, and of the element in the last
        steps = [self.model.bodies[index].placement for index in chain]
        X = X_PE.inverse()
        for step in steps:
            X = X @ step
        solids = body_solids(links, True, self.notes)
        if own_frame:
            name = self.names.free("body", links[0].name)
            self.body_names[links[0].name] = name
        else:
            name = self.names.free("body", f"{links[0].name}/joint", own=False)
            self.notes.add("bodies put between a joint and a link whose frame is not its own", name)
        element = parent.add("body", name=name, **pose(X @ X_BE))
        self._bodies[last] = (element, X_BE)
        X_EJ = X_BE.inverse()
        frames = [X_EJ]
        for step in reversed(steps[1:]):
            frames.append(frames[-1] @ step.inverse())
        for index, own, frame in zip(chain, parts, reversed(frames), strict=True):
            self._add_joints(element, self.model.bodies[index].joint, own, clean(frame))
        if own_frame:
            self._links[links[0].name] = (element, X_BE)
            self._add_inertial(element, links[0].name, solids[0])
            links, solids = links[1:], solids[1:]
        for link, solid in zip(links, solids, strict=True):
            self._add_link(element, X_BE, link, solid)

    def _frame(self, parts: list[JointPart], link: Link) -> tuple[Transform, bool]:
        """The frame of a body's element in the body, and whether that is the link's."""
        matrix = link.placement.to_matrix()
        kinds = {part.kind for part in parts}
        turned = not np.array_equal(matrix[:3, :3], np.eye(3))
        moved = bool(matrix[:3, 3].any())
        if ("free" in kinds and (turned or moved)) or ("ball" in kinds and turned):
            return _IDENTITY, False
        return link.placement, True

    def _add_joints(
        self, element: Element, joint: ModelJoint, parts: list[JointPart], X_EJ: Transform
    ) -> None:
        R, p = np.array(X_EJ.rotation.to_rows()), np.array(list(X_EJ.translation), dtype=float)
        for part in parts:
            wanted = f"{joint.name}_{part.suffix}" if part.suffix else joint.name
            name = self.names.free("joint", wanted, own=not part.suffix)
            if part.suffix and part.dofs:
                what = f"{joint.type.kind} joints, which MJCF does not have, written as several"
                self.notes.add(what, joint.name)
            axis = None if part.axis is None else R @ np.array(part.axis, dtype=float)
            anchor = p if p.any() and part.kind in ("hinge", "ball") else None
            values = attributes(joint, part, joint.name, self.notes)
            element.add("joint", name=name, type=part.kind, pos=anchor, axis=axis, **values)
            self.joints.append(WrittenJoint(name, joint, part))

    def _add_link(self, parent: Element, X_BE: Transform, link: Link, solid: Any) -> None:
        """A link that is fixed to the element of its body."""
        name = self.names.free("body", link.name)
        element = parent.add("body", name=name, **pose(X_BE.inverse() @ link.placement))
        self._add_inertial(element, link.name, solid)
        self._links[link.name] = (element, link.placement)
        self.body_names[link.name] = name

    def _add_inertial(self, element: Element, name: str, solid: Any) -> None:
        values = solid.attributes(name, self.notes)
        if values is not None:
            element.add("inertial", **values)

    def _merged(self) -> set[int]:
        """Bodies without mass, and with nothing on them but one joint, that become part of the next one."""
        model, children = self.model, _children(self.model)
        busy = {shape.link for shape in model.shapes} | {
            name for contact in model.contacts for name in (contact.first, contact.second)
        }
        occupied = {frame.body for frame in model.frames[len(model.links) :]}
        occupied |= {body for loop in model.loops for body in (loop.predecessor, loop.successor)}
        merged: set[int] = set()
        dofs: dict[int, int] = {}
        for index, body in enumerate(model.bodies):
            count = body.joint.type.nv + (dofs[body.parent] if body.parent in merged else 0)
            dofs[index] = count
            links = self._of_body[index]
            empty = body.inertia.mass == 0.0 and not np.array(body.inertia.rotational.to_rows()).any()
            alone = len(links) == 1 and links[0].name not in busy and index not in occupied
            if not (empty and alone) or len(children.get(index, [])) != 1:
                continue
            simple = all(part.kind in ("hinge", "slide") for part in joint_parts(body))
            (child,) = children[index]
            if simple and count + model.bodies[child].joint.type.nv <= _MOST_FREEDOMS:
                merged.add(index)
                self.notes.add(
                    "bodies without mass between two joints, made one with the next", links[0].name
                )
        return merged


def _is_world(link: Link) -> bool:
    """Whether a link is what URDF files often begin with: "world", without mass, fixed at its origin."""
    at_origin = np.array_equal(link.placement.to_matrix(), np.eye(4))
    return link.name == "world" and link.mass == 0.0 and at_origin


def _children(model: Model) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for index, body in enumerate(model.bodies):
        children.setdefault(body.parent, []).append(index)
    return children
