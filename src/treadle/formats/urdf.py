"""URDF files, parsed by yourdfpy.

Inertias that no real body can have are kept as written, so that the results agree with those of other
libraries; the report names them. Geometry, transmissions and simulator tags are not read.
"""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import numpy as np

from treadle.errors import ModelError
from treadle.formats.urdf_check import check_urdf
from treadle.formats.xml import parse_xml
from treadle.model import ModelSpec
from treadle.model.values import listed, rotation_matrix

__all__ = ["read"]

#: What is read; all else is dropped and reported.
_USED = {
    "robot": ("link", "joint"),
    "link": ("inertial",),
    "joint": ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"),
}
_SCALAR_TYPES = ("revolute", "continuous", "prismatic")


def read(content: bytes, name: str, floating_base: bool = False) -> ModelSpec:
    """The machine in a URDF file's content; `name` serves where the robot has none."""
    root = parse_xml(content)
    if root.tag != "robot":
        hint = "a URDF file starts with <robot>"
        raise ModelError(f"the outermost element is <{root.tag}>", line=root.sourceline, hint=hint)
    report = []
    if not (root.get("name") or "").strip():
        root.set("name", name)
        report.append(f"the robot has no name and was called {name!r} after its file")
    report += _prune(root)
    base = check_urdf(root)
    lines = {(part.tag, part.get("name")): part.sourceline for part in root}
    robot = _parse(root)

    spec = ModelSpec(robot.name)
    for link in robot.links:
        spec.add_body(link.name, **_inertial(link.inertial), line=lines["link", link.name])
    wanted = "floating_base" if floating_base else "fixed_base"
    base_name = _unique(wanted, {joint.name for joint in robot.joints})
    if floating_base and base_name != wanted:
        report.append(f'the floating joint of the base is called "{base_name}": "{wanted}" is taken')
    spec.add_joint(base_name, "free" if floating_base else "fixed", None, base)
    for joint in robot.joints:
        kind = "free" if joint.type == "floating" else joint.type
        options = _joint_options(joint) | {"line": lines["joint", joint.name]}
        spec.add_joint(joint.name, kind, joint.parent, joint.child, **options)
    spec.report = report + _report(robot)
    return spec


def _prune(root: Any) -> list[str]:
    """Remove what is not read, so that a mistake in it does no harm, and report it."""
    dropped: Counter[str] = Counter()
    for parent in [root, *root.findall("link"), *root.findall("joint")]:
        for element in list(parent):
            if element.tag not in _USED[parent.tag]:
                dropped[str(element.tag).rpartition("}")[2]] += 1
                parent.remove(element)
    if not dropped:
        return []
    counts = ", ".join(f"{tag} ({count})" for tag, count in sorted(dropped.items()))
    return [f"elements that are not read: {counts}"]


def _parse(root: Any) -> Any:
    """The robot as yourdfpy sees it."""
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
    if joint.type in (*_SCALAR_TYPES, "planar"):
        options["axis"] = joint.axis
    if joint.type not in _SCALAR_TYPES:
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


def _report(robot: Any) -> list[str]:
    """What was ignored or guessed, one sentence each."""
    report = [
        f'joint "{joint.name}" mimics "{joint.mimic.joint}": they are not coupled yet, it moves freely'
        for joint in robot.joints
        if joint.mimic is not None and joint.type != "fixed"
    ]
    scalar = [joint for joint in robot.joints if joint.type in _SCALAR_TYPES]
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
        "joints with friction, which is not simulated yet": [
            joint.name for joint in scalar if joint.dynamics and float(joint.dynamics.friction or 0.0)
        ],
        "planar and floating joints, whose limits and damping are not read": [
            joint.name
            for joint in robot.joints
            if joint.type in ("planar", "floating") and (joint.limit or joint.dynamics)
        ],
    }
    return report + [f"{finding}: {listed(names)}" for finding, names in findings.items() if names]
