"""URDF files, parsed by yourdfpy.

Inertias that no real body can have are kept as written, so that the results agree with those of other
libraries; the report names them, and everything that is not carried over. The manual is
docs/formats/urdf.md.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from treadle.errors import ModelError
from treadle.extras import require
from treadle.formats.ros2_control import add_interfaces, take_out_interfaces
from treadle.formats.urdf11 import to_urdf10
from treadle.formats.urdf_check import check_urdf
from treadle.formats.urdf_drives import SCALAR_TYPES, add_couplings, add_motors
from treadle.formats.urdf_rest import leave_out
from treadle.formats.urdf_sensors import add_sensors, take_out_sensors
from treadle.formats.urdf_shapes import add_shapes, leave_out_shapes
from treadle.formats.xml import parse_xml
from treadle.model import ModelSpec
from treadle.model.finding import Finding
from treadle.model.values import rotation_matrix

__all__ = ["read"]


def read(content: bytes, name: str, floating_base: bool = False) -> ModelSpec:
    """The machine in a URDF file's content; `name` serves where the robot has none.

    Meshes have the names that the file gives them: `urdf_meshes.find_meshes` finds them.
    """
    root = parse_xml(content)
    if root.tag != "robot":
        hint = "a URDF file starts with <robot>"
        raise ModelError(f"the outermost element is <{root.tag}>", line=root.sourceline, hint=hint)
    report: list[str] = []
    if not (root.get("name") or "").strip():
        root.set("name", name)
        report.append(Finding(f"the robot has no name and was called {name!r} after its file"))
    sensors, interfaces = take_out_sensors(root), take_out_interfaces(root)
    report += [*leave_out(root), *leave_out_shapes(root)]
    transmissions = root.findall("transmission")
    for transmission in transmissions:
        root.remove(transmission)
    base = check_urdf(root)
    to_urdf10(root)
    lines = {(part.tag, part.get("name")): part.sourceline for part in root}
    robot = _parse(root)

    spec = ModelSpec(robot.name)
    for link in robot.links:
        spec.add_body(link.name, **_inertial(link.inertial), line=lines["link", link.name])
    wanted = "floating_base" if floating_base else "fixed_base"
    base_name = _unique(wanted, {joint.name for joint in robot.joints})
    if floating_base and base_name != wanted:
        sentence = f'the floating joint of the base is called "{base_name}": "{wanted}" is taken'
        report.append(Finding(sentence))
    spec.add_joint(base_name, "free" if floating_base else "fixed", None, base)
    for joint in robot.joints:
        kind = "free" if joint.type == "floating" else joint.type
        options = _joint_options(joint) | {"line": lines["joint", joint.name]}
        spec.add_joint(joint.name, kind, joint.parent, joint.child, **options)
    report += add_shapes(spec, robot, root)
    report += add_couplings(spec, robot)
    report += add_motors(spec, transmissions)
    report += add_interfaces(spec, interfaces)
    report += add_sensors(spec, sensors)
    spec.report = report + _report(robot, root)
    return spec


def _parse(root: Any) -> Any:
    """The robot as yourdfpy sees it."""
    require("yourdfpy", "reading URDF")
    import yourdfpy
    from lxml import etree  # type: ignore[reportAttributeAccessIssue]

    try:
        # written out again without its document type: yourdfpy's own parser would resolve entities
        text = io.BytesIO(etree.tostring(root))
        return yourdfpy.URDF.load(text, build_scene_graph=False, load_meshes=False).robot
    except Exception as error:
        hint = "compare it with a valid URDF file"
        raise ModelError(f"yourdfpy cannot read it: {error}", hint=hint) from None


def _inertial(inertial: Any) -> dict[str, Any]:
    """Fields of a body: inertia about the centre of mass, turned from the inertial axes to the link's."""
    if inertial is None:
        return {}
    inertia, center = inertial.inertia, np.zeros(3)
    if inertial.origin is not None:
        center = inertial.origin[:3, 3]
        R = rotation_matrix(inertial.origin[:3, :3])
        if not np.array_equal(R, np.eye(3)):
            inertia = R @ inertia @ R.T
            inertia = 0.5 * (inertia + inertia.T)
    return {"mass": inertial.mass, "center": center, "inertia": inertia}


def _unique(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _joint_options(joint: Any) -> dict[str, Any]:
    """Fields of a joint's description."""
    options: dict[str, Any] = {}
    if joint.origin is not None:
        options["position"], options["rotation"] = joint.origin[:3, 3], joint.origin[:3, :3]
    if joint.type in (*SCALAR_TYPES, "planar"):
        options["axis"] = joint.axis
    if joint.type not in SCALAR_TYPES:
        return options
    if joint.limit is not None:
        options["effort"], options["speed"] = joint.limit.effort, joint.limit.velocity
        if _is_limited(joint):
            # an absent one of the two is zero, says the URDF specification
            options["lower"], options["upper"] = joint.limit.lower or 0.0, joint.limit.upper or 0.0
    if joint.dynamics is not None:
        options["damping"] = float(joint.dynamics.damping or 0.0)
        options["friction"] = float(joint.dynamics.friction or 0.0)
    return options


def _is_limited(joint: Any) -> bool:
    limit = joint.limit
    given = limit is not None and (limit.lower is not None or limit.upper is not None)
    return given and joint.type in ("revolute", "prismatic")


def _report(robot: Any, root: Any) -> list[Finding]:
    """What was ignored or guessed about links and joints."""
    scalar = [joint for joint in robot.joints if joint.type in SCALAR_TYPES]
    limited = [joint for joint in scalar if joint.limit is not None]
    findings = {
        "links without <inertial>, taken as massless": [
            link.name for link in robot.links if link.inertial is None
        ],
        "joints without position limits, taken as unlimited": [
            joint.name for joint in scalar if joint.type != "continuous" and not _is_limited(joint)
        ],
        "continuous joints whose position limits are ignored": [
            joint.name
            for joint in limited
            if joint.type == "continuous" and (joint.limit.lower or joint.limit.upper)
        ],
        "joints whose effort or speed limit is zero, kept as written": [
            joint.name for joint in limited if 0.0 in (joint.limit.effort, joint.limit.velocity)
        ],
        "planar and floating joints, whose limits and damping are not read": [
            joint.name
            for joint in robot.joints
            if joint.type in ("planar", "floating") and (joint.limit or joint.dynamics)
        ],
        "joints with an axis, limits, dynamics or mimic, which have no meaning for them": [
            str(joint.get("name")) for joint in root.findall("joint") if _has_idle_parts(joint)
        ],
    }
    return [Finding(what, names) for what, names in findings.items() if names]


def _has_idle_parts(joint: Any) -> bool:
    """Whether an element <joint> holds something that its type has no use for."""
    idle = {"fixed": ("axis", "limit", "dynamics", "mimic"), "floating": ("axis",)}
    return any(joint.find(tag) is not None for tag in idle.get(joint.get("type"), ()))
