"""Mistakes in a URDF file that are best told with their line, found before the file is converted."""

from __future__ import annotations

from typing import Any

from treadle.errors import ModelError
from treadle.model.model import suggest

__all__ = ["check_urdf"]

#: Attributes that hold numbers, and how many; all finite but the limits, those of boxes also with commas.
_NUMBERS = {
    "origin": {"xyz": 3, "rpy": 3, "quat_xyzw": 4},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), 1),
    "limit": dict.fromkeys(("lower", "upper", "effort", "velocity"), 1),
    "dynamics": {"damping": 1, "friction": 1},
    "mimic": {"multiplier": 1, "offset": 1},
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "color": {"rgba": 4},
}
_REQUIRED_ATTRIBUTES = {
    "link": ("name",),
    "joint": ("name", "type"),
    "parent": ("link",),
    "child": ("link",),
    "mass": ("value",),
    "inertia": tuple(_NUMBERS["inertia"]),
    "mimic": ("joint",),
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "mesh": ("filename",),
}
_REQUIRED_ELEMENTS = {
    "joint": ("parent", "child"),
    "inertial": ("mass", "inertia"),
    "visual": ("geometry",),
    "collision": ("geometry",),
}
_JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def check_urdf(root: Any) -> str:
    """Raise ModelError at the first mistake below <robot>; return the name of the root link."""
    for part in root:
        _check_attributes(part, part)
        for element in part.iterdescendants():
            _check_attributes(part, element)
    links, joints = root.findall("link"), root.findall("joint")
    if not links:
        raise ModelError("describes no links", line=root.sourceline, hint="a robot has at least one <link>")
    for parts in (links, joints):
        _check_unique(parts)
    names = [link.get("name") for link in links]
    above: dict[str, str] = {}
    _check_mimics(joints)
    for joint in joints:
        _check_joint(joint, names)
        child, name = joint.find("child").get("link"), joint.get("name")
        if above.setdefault(child, name) != name:
            message = f'link "{child}" already hangs on joint "{above[child]}": URDF has no closed loops'
            raise _error(joint, joint, message, "remove one of the two, or use a format that has them")
    roots = [name for name in names if name not in above]
    if len(roots) != 1:
        raise _root_error(roots, links, joints)
    return roots[0]


def _check_attributes(part: Any, element: Any) -> None:
    """`part` is the link or joint that `element` belongs to."""
    tag = element.tag
    for name in _REQUIRED_ATTRIBUTES.get(tag, ()):
        if not (element.get(name) or "").strip():
            raise _error(part, element, f"<{tag}> has no attribute '{name}'", "add it")
    for name in _REQUIRED_ELEMENTS.get(tag, ()):
        if element.find(name) is None:
            raise _error(part, element, f"<{tag}> has no <{name}>", "add it")
    for name, count in _NUMBERS.get(tag, {}).items():
        text = element.get(name)
        if text is None:
            continue
        text = text.replace(",", " ") if tag == "box" else text
        if not _are_numbers(text, count, tag == "limit"):
            amount = "a number" if count == 1 else f"{count} numbers"
            raise _error(part, element, f"<{tag} {name}={text!r}> needs {amount}", "correct it")
    scale = element.get("scale", "1").replace(",", " ")
    if tag == "mesh" and not any(_are_numbers(scale, count, False) for count in (1, 3)):
        message = f"<mesh scale={element.get('scale')!r}> needs 3 numbers"
        raise _error(part, element, message, "correct it, or leave it out")
    if tag == "origin" and element.get("quat_xyzw") is not None:
        _check_quaternion(part, element)
    if tag == "geometry" and len(element) != 1:
        message = f"<geometry> holds {len(element)} shapes"
        raise _error(part, element, message, "give each its own <visual> or <collision>")


def _check_quaternion(part: Any, element: Any) -> None:
    if element.get("rpy") is not None:
        raise _error(part, element, "<origin> has both rpy and quat_xyzw", "keep one of them")
    if sum(float(word) ** 2 for word in element.get("quat_xyzw").split()) < 1e-16:
        raise _error(part, element, "<origin> has a quat_xyzw that is zero", "write 0 0 0 1 for no rotation")


def _are_numbers(text: str, count: int, endless: bool) -> bool:
    # Python reads more than URDF has: 1_000, and digits of other scripts
    if "_" in text or not text.isascii():
        return False
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return False
    finite = all(abs(x) < float("inf") or (endless and x == x) for x in values)  # noqa: PLR0124
    return len(values) == count and finite


def _check_unique(parts: list[Any]) -> None:
    seen: dict[str, int] = {}
    for part in parts:
        name = part.get("name")
        if name in seen:
            message = f"the name is already that of the {part.tag} in line {seen[name]}"
            raise _error(part, part, message, "rename one of the two")
        seen[name] = part.sourceline


def _check_joint(joint: Any, links: list[str]) -> None:
    if joint.get("type") not in _JOINT_TYPES:
        hint = f"use one of {', '.join(_JOINT_TYPES)}"
        raise _error(joint, joint, f"unknown joint type {joint.get('type')!r}", hint)
    for role in ("parent", "child"):
        element = joint.find(role)
        if element.get("link") not in links:
            message = f"its {role} {element.get('link')!r} is not a link of this file"
            raise _error(joint, element, message, suggest(element.get("link"), links))
    if joint.find("parent").get("link") == joint.find("child").get("link"):
        raise _error(joint, joint, "connects a link with itself", "name two different links")


def _check_mimics(joints: list[Any]) -> None:
    """That no mimic joint follows itself."""
    followed = {joint.get("name"): joint.find("mimic") for joint in joints}
    for joint in joints:
        mimic, path = joint.find("mimic"), [joint.get("name")]
        while mimic is not None:
            leader = mimic.get("joint")
            if leader in path:
                circle = " -> ".join(f'"{name}"' for name in [*path, leader])
                raise _error(joint, joint.find("mimic"), f"mimics itself: {circle}", "remove one <mimic>")
            path.append(leader)
            mimic = followed.get(leader)


def _root_error(roots: list[str], links: list[Any], joints: list[Any]) -> ModelError:
    if not roots:
        # every link is the child of one joint: go up from the first joint until a link comes again
        above = {joint.find("child").get("link"): joint for joint in joints}
        path = [joints[0].find("parent").get("link")]
        while (link := above[path[-1]].find("parent").get("link")) not in path:
            path.append(link)
        circle = " -> ".join(f'"{name}"' for name in [link, *reversed(path[path.index(link) :])])
        joint = above[link]
        return _error(joint, joint, f"the joints run in a circle: {circle}", "leave one of them out")
    second = next(link for link in links if link.get("name") == roots[1])
    listed = ", ".join(f'"{name}"' for name in roots[:4]) + (", ..." if len(roots) > 4 else "")
    hint = "connect all but one of them by joints"
    return _error(second, second, f"no joint leads to it: there are {len(roots)} root links ({listed})", hint)


def _error(part: Any, element: Any, message: str, hint: str) -> ModelError:
    owner = part.tag if part.get("name") is None else f'{part.tag} "{part.get("name")}"'
    return ModelError(message, line=element.sourceline, element=owner, hint=hint)
