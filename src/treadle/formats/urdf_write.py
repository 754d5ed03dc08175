"""Write a machine as URDF: its tree, with inertias, limits, dampers, mimic joints, motors and shapes.

URDF has its link frames at their joints and one root link. Where the machine's are elsewhere, massless links
and fixed joints are put in between; where no link stands at the origin of the world, there is one for it. A
universal joint becomes two revolute ones and a cylindrical joint a revolute and a prismatic one, with the
same coordinates. Other joints that URDF does not have are an error; `urdf_unsupported` lists what else is
left out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import ModelError
from treadle.formats.urdf_drives import SCALAR_TYPES
from treadle.formats.urdf_unsupported import mimics, motors, unsupported
from treadle.formats.urdf_write_sensors import add_sensors
from treadle.formats.urdf_write_shapes import add_shapes, add_tag, numbers, origin, shapes_of
from treadle.model import BodySpec, JointSpec, Model, ModelSpec, ShapeSpec
from treadle.model.describe import describe
from treadle.model.finding import Finding
from treadle.model.placement import is_identity, placement_of
from treadle.model.topology import body_inertia
from treadle.model.tree import spanning_tree
from treadle.model.validate import validate
from treadle.model.values import freedoms, vector

__all__ = ["text", "write"]

#: Joints that are one in URDF, with their names there.
_SINGLE = {
    "revolute": "revolute", "continuous": "continuous", "prismatic": "prismatic", "planar": "planar",
    "free": "floating", "fixed": "fixed",
}  # fmt: skip
#: Joints that are two in URDF: their types, the ends of their names, and the axes of each.
_DOUBLE = {
    "universal": (("revolute", "first", "axis"), ("revolute", "second", "second_axis")),
    "cylindrical": (("revolute", "turn", "axis"), ("prismatic", "slide", "axis")),
}
#: Stands for a limit that the machine does not have and URDF requires.
_ENDLESS = 1e9


def write(machine: Model | ModelSpec, path: Path) -> list[Finding]:
    """Write the machine to a file, and return what that file does not say."""
    content, findings = text(describe(machine) if isinstance(machine, Model) else machine)
    path.write_text(content, encoding="utf-8")
    return findings


def text(spec: ModelSpec) -> tuple[str, list[Finding]]:
    """The description as the text of a URDF file, and what that file does not say."""
    from lxml import etree  # type: ignore[reportAttributeAccessIssue]

    validate(spec, strict=False)
    writer = _Writer(spec, etree.Element("robot"))
    try:
        writer.write()
    except ValueError as error:
        # control characters in a name
        raise ModelError(f"XML cannot hold one of its names ({error})", hint="rename it") from None
    content = etree.tostring(writer.root, pretty_print=True, xml_declaration=True, encoding="utf-8")
    return content.decode(), [*writer.findings(), *unsupported(spec)]


class _Writer:
    def __init__(self, spec: ModelSpec, root: Any) -> None:
        self.spec = spec
        self.root = root
        self.tree = _depth_first(spanning_tree(spec)[0])
        self.links = {item.name for item in (*spec.bodies, *spec.frames)}
        self.joints = {joint.name for joint in spec.joints}
        self.mimics = mimics(spec)
        self.shapes: dict[str | None, list[ShapeSpec]] = defaultdict(list)
        for shape in shapes_of(spec):
            self.shapes[shape.body].append(shape)
        #: the joint of a base that stands at the world's origin, and so can be the root link
        self.mount = next((joint for joint in self.tree if _is_mount(joint)), None)
        self.world = self._fresh("world", self.links) if self.mount is None else self.mount.child
        #: joints that were written otherwise than they are
        self.doubled: list[str] = []
        self.endless: list[str] = []

    def write(self) -> None:
        """Fill the root element: links, then joints in the order of the tree, then motors."""
        self.root.set("name", self.spec.name)
        if self.mount is None:
            add_shapes(add_tag(self.root, "link", name=self.world), self.shapes[None])
        for body in self.spec.bodies:
            self._link(body)
        for joint in self.tree:
            if joint is not self.mount:
                self._joint(joint)
        for frame in self.spec.frames:
            add_tag(self.root, "link", name=frame.name)
            parent = self.world if frame.body is None else frame.body
            self._fixed(f"{frame.name}_fixed", parent, frame.name, frame.position, frame.rotation)
        for motor in motors(self.spec):
            self._transmission(motor)
        add_sensors(self.root, self.spec)

    def findings(self) -> list[Finding]:
        """What is said otherwise."""
        frames = [frame.name for frame in self.spec.frames]
        notes = {
            "frames written as links without mass": frames,
            "joints written as two, with a link without mass between them": self.doubled,
            f"joints with limits of {_ENDLESS:g} where they have none, for URDF requires them": self.endless,
        }
        lines = [Finding(what, names) for what, names in notes.items() if names]
        if self.mount is None:
            lines.append(Finding(f'the world is written as the link "{self.world}"'))
        return lines

    def _fresh(self, name: str, used: set[str]) -> str:
        while name in used:
            name += "_"
        used.add(name)
        return name

    def _link(self, body: BodySpec) -> None:
        link = add_tag(self.root, "link", name=body.name)
        inertia = body_inertia(body)
        if body.mass or inertia.any():
            inertial = add_tag(link, "inertial")
            origin(inertial, body.center)
            add_tag(inertial, "mass", value=numbers(body.mass))
            names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
            inertia = 0.5 * (inertia + inertia.T)
            add_tag(inertial, "inertia", **{name: numbers(inertia[k]) for name, k in names.items()})
        add_shapes(link, self.shapes[body.name])
        if self.mount is not None and body.name == self.world:
            add_shapes(link, self.shapes[None])

    def _joint(self, joint: JointSpec) -> None:
        """The joint, and the links and fixed joints that URDF needs beside it."""
        if joint.type not in _SINGLE and joint.type not in _DOUBLE:
            message = f"URDF has no {joint.type} joint, and none that moves in the same coordinates"
            hint = "replace it, or write the machine as .toml"
            raise ModelError(message, element=f'joint "{joint.name}"', hint=hint)
        parent, place = self.world if joint.parent is None else joint.parent, (joint.position, joint.rotation)
        moved = not is_identity(joint.child_position, joint.child_rotation)
        end = self._between(joint) if moved else joint.child
        if joint.type in _DOUBLE:
            self.doubled.append(joint.name)
            middle = self._between(joint)
            for dof, (kind, suffix, axis) in enumerate(_DOUBLE[joint.type]):
                name = self._fresh(f"{joint.name}_{suffix}", self.joints)
                element = self._element(name, kind, parent, end if dof else middle)
                if not dof:
                    origin(element, *place)
                self._one_dof(element, joint, kind, dof, getattr(joint, axis))
                parent = middle
        else:
            kind = _SINGLE[joint.type]
            element = self._element(joint.name, kind, parent, end)
            origin(element, *place)
            if kind == "planar":
                add_tag(element, "axis", xyz=numbers(_unit(joint.axis or (0.0, 0.0, 1.0))))
            elif kind in SCALAR_TYPES:
                self._one_dof(element, joint, kind, 0, joint.axis)
        if moved:
            X_LJ = placement_of(joint.child_position, joint.child_rotation)
            X_JL = X_LJ.inverse()
            rotation = X_JL.rotation.to_rows()
            self._fixed(f"{joint.name}_fixed", end, joint.child, tuple(X_JL.translation), rotation)

    def _between(self, joint: JointSpec) -> str:
        """A link without mass at a joint."""
        name = self._fresh(f"{joint.child}_{joint.name}", self.links)
        add_tag(self.root, "link", name=name)
        return name

    def _element(self, name: str, kind: str, parent: str, child: str) -> Any:
        element = add_tag(self.root, "joint", name=name, type=kind)
        add_tag(element, "parent", link=parent)
        add_tag(element, "child", link=child)
        return element

    def _fixed(self, name: str, parent: str, child: str, position: Any, rotation: Any) -> None:
        element = self._element(self._fresh(name, self.joints), "fixed", parent, child)
        origin(element, position, rotation)

    def _one_dof(self, element: Any, joint: JointSpec, kind: str, dof: int, axis: Any) -> None:
        """Axis, limits, dynamics and mimic of a revolute or prismatic joint."""
        count = len(_DOUBLE.get(joint.type, (None,)))

        def value(name: str, absent: float = 0.0) -> float:
            return freedoms(getattr(joint, name), count, absent)[dof]

        default = np.eye(3)[dof] if joint.type == "universal" else np.eye(3)[2]
        add_tag(element, "axis", xyz=numbers(_unit(default if axis is None else axis)))
        lower, upper = value("lower", -math.inf), value("upper", math.inf)
        effort, speed = value("effort", math.inf), value("speed", math.inf)
        if kind == "revolute" and math.isinf(lower) and math.isinf(upper):
            element.set("type", "continuous")
            kind = "continuous"
        limits = {"effort": effort, "velocity": speed}
        if kind != "continuous":
            limits = {"lower": lower, "upper": upper, **limits}
        if kind != "continuous" or not all(math.isinf(x) for x in limits.values()):
            if any(math.isinf(x) for x in limits.values()):
                self.endless.append(joint.name)
            finite = {
                name: max(-_ENDLESS, min(_ENDLESS, x)) if math.isinf(x) else x for name, x in limits.items()
            }
            add_tag(element, "limit", **{name: numbers(x) for name, x in finite.items()})
        damping, friction = value("damping"), value("friction")
        if damping or friction:
            add_tag(element, "dynamics", damping=numbers(damping), friction=numbers(friction))
        if joint.name in self.mimics:
            leader, offset, ratio = self.mimics[joint.name]
            add_tag(element, "mimic", joint=leader, multiplier=numbers(ratio), offset=numbers(offset))

    def _transmission(self, motor: Any) -> None:
        element = add_tag(self.root, "transmission", name=f"{motor.name}_transmission")
        add_tag(element, "type").text = "transmission_interface/SimpleTransmission"
        joint, drive = (
            add_tag(element, "joint", name=motor.joint),
            add_tag(element, "actuator", name=motor.name),
        )
        add_tag(joint, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
        add_tag(drive, "mechanicalReduction").text = numbers(motor.gain)


def _is_mount(joint: JointSpec) -> bool:
    """Whether a joint fixes its child to the world where the world's frame is."""
    places = (joint.position, joint.rotation), (joint.child_position, joint.child_rotation)
    return joint.parent is None and joint.type == "fixed" and all(is_identity(*place) for place in places)


def _depth_first(tree: list[JointSpec]) -> list[JointSpec]:
    """The joints in the order of the model's coordinates, which is then that of the file's."""
    leaving: dict[str | None, list[JointSpec]] = defaultdict(list)
    for joint in tree:
        leaving[joint.parent].append(joint)
    order: list[JointSpec] = []
    waiting = leaving[None][::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += leaving[order[-1].child][::-1]
    return order


def _unit(axis: Any) -> np.ndarray:
    """The direction, as it is if its length is one but for rounding."""
    given = vector(axis)
    length = np.linalg.norm(given)
    return given if abs(length - 1.0) < 1e-15 else given / length
