"""What a URDF file holds beyond what is read: taken out before the rest is parsed, and reported."""

from __future__ import annotations

from collections import Counter
from typing import Any

from treadle.model.finding import Finding

__all__ = ["leave_out"]

#: Attributes and elements that are read, by the element that they stand in. An element whose name occurs
#: in two places with different content is called after both.
_READ: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "robot": (("name", "version"), ("link", "joint", "material", "transmission")),
    "link": (("name",), ("inertial", "visual", "collision")),
    "inertial": ((), ("origin", "mass", "inertia")),
    "mass": (("value",), ()),
    "inertia": (("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), ()),
    "visual": (("name",), ("origin", "geometry", "material")),
    "collision": (("name",), ("origin", "geometry")),
    "geometry": ((), ("box", "cylinder", "sphere", "capsule", "mesh")),
    "box": (("size",), ()),
    "cylinder": (("radius", "length"), ()),
    "sphere": (("radius",), ()),
    "capsule": (("radius", "length"), ()),
    "mesh": (("filename", "scale"), ()),
    "material": (("name",), ("color",)),
    "color": (("rgba",), ()),
    "joint": (("name", "type"), ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic")),
    "origin": (("xyz", "rpy", "quat_xyzw"), ()),
    "parent": (("link",), ()),
    "child": (("link",), ()),
    "axis": (("xyz",), ()),
    "limit": (("lower", "upper", "effort", "velocity"), ()),
    "dynamics": (("damping", "friction"), ()),
    "mimic": (("joint", "multiplier", "offset"), ()),
    "transmission": (("name", "type"), ("type", "joint", "actuator", "mechanicalReduction")),
    "transmission/joint": (("name",), ("hardwareInterface", "mechanicalReduction")),
    "transmission/actuator": (("name",), ("hardwareInterface", "mechanicalReduction")),
    "type": ((), ()),
    "hardwareInterface": ((), ()),
    "mechanicalReduction": ((), ()),
}
#: Elements that may stand several times in the same place.
_MANY = (
    "link", "joint", "material", "transmission", "visual", "collision",
    "transmission/joint", "transmission/actuator", "hardwareInterface",
)  # fmt: skip
#: Elements whose text is read.
_TEXTS = ("type", "hardwareInterface", "mechanicalReduction")


def leave_out(root: Any) -> list[Finding]:
    """Remove what is not read from a <robot>, so that a mistake in it does no harm, and say what it was."""
    elements: Counter[str] = Counter()
    attributes: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    waiting = [("robot", root)]
    while waiting:
        kind, element = waiting.pop()
        known_attributes, known_elements = _READ[kind]
        for name in element.attrib:
            if name not in known_attributes:
                attributes[f"{_local(name)} of {element.tag}"] += 1
        seen = set()
        for child in list(element):
            inner = f"transmission/{child.tag}" if kind == "transmission" else str(child.tag)
            inner = inner if inner in _READ else str(child.tag)
            if child.tag not in known_elements:
                elements[_local(child.tag)] += 1
                _remove(child)
            elif inner in seen and inner not in _MANY:
                repeated[f"{child.tag} of {element.tag}"] += 1
                _remove(child)
            else:
                seen.add(inner)
                waiting.append((inner, child))
        if kind not in _TEXTS and any((text or "").strip() for text in _texts(element)):
            texts[str(element.tag)] += 1
    return [
        *_counted("elements that are not read", elements),
        *_counted("attributes that are not read", attributes),
        *_counted("elements that stand twice, of which the first is read", repeated),
        *_counted("elements with text in them, which is not read", texts),
    ]


def _local(tag: Any) -> str:
    return str(tag).rpartition("}")[2]


def _remove(element: Any) -> None:
    """Take an element out; the text after it stays."""
    parent, before = element.getparent(), element.getprevious()
    if element.tail and element.tail.strip():
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    parent.remove(element)


def _texts(element: Any) -> list[str | None]:
    return [element.text, *(child.tail for child in element)]


def _counted(what: str, counts: Counter[str]) -> list[Finding]:
    if not counts:
        return []
    return [Finding(f"{what}: " + ", ".join(f"{name} ({count})" for name, count in sorted(counts.items())))]
