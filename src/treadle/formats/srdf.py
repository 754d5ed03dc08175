"""SRDF: the pairs of links whose collisions MoveIt's setup switched off."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from treadle.errors import ModelError
from treadle.formats.xml import parse_xml
from treadle.model import ModelSpec
from treadle.model.finding import Finding
from treadle.model.values import path_of

__all__ = ["add_disabled_collisions", "read_disabled_collisions"]


def read_disabled_collisions(path: str | PathLike[str]) -> list[tuple[str, str]]:
    """The pairs of every `disable_collisions` element, to pass to a `Collider` as `ignore`.

    `td.load(file, srdf=path)` makes them rules of the machine. An SRDF file belongs to a URDF file and names
    its links. Groups, poses and joints in it are not read.
    """
    path = path_of(path)
    try:
        root = parse_xml(path.read_bytes())
    except OSError as error:
        message = f"cannot be read ({error.strerror})"
        raise ModelError(message, file=path, hint="check the path") from None
    except ModelError as error:
        error.file = str(path)
        raise
    if root.tag != "robot":
        hint = "its outermost element must be <robot>"
        raise ModelError("is not an SRDF file", file=path, element=f"<{root.tag}>", hint=hint)
    pairs = []
    for item in root.iter("disable_collisions"):
        first, second = item.get("link1"), item.get("link2")
        if not first or not second:
            hint = "give it link1 and link2"
            raise ModelError("a link is missing", file=path, element="disable_collisions", hint=hint)
        pairs.append((first, second))
    return pairs


def add_disabled_collisions(spec: ModelSpec, path: str | PathLike[str]) -> None:
    """Make the pairs rules of a machine, unless it has its own; report links that it does not have."""
    links = {body.name for body in spec.bodies}
    stated = {frozenset((contact.first, contact.second)) for contact in spec.contacts}
    unknown: dict[str, None] = {}
    for pair in read_disabled_collisions(path):
        unknown |= dict.fromkeys(name for name in pair if name not in links)
        if links.issuperset(pair) and frozenset(pair) not in stated:
            stated.add(frozenset(pair))
            spec.add_contact(*pair, enabled=False)
    if unknown:
        hint = "is it the SRDF file of this machine?"
        what = f'links of "{Path(path).name}" that the machine does not have'
        spec.report.append(Finding(what, list(unknown), "warning", hint))
