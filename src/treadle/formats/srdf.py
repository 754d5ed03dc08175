"""SRDF: the pairs of links whose collisions MoveIt's setup switched off."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from treadle.errors import ModelError
from treadle.formats.xml import parse_xml

__all__ = ["read_disabled_collisions"]


def read_disabled_collisions(path: str | PathLike[str]) -> list[tuple[str, str]]:
    """The pairs of every `disable_collisions` element, to pass to a `Collider` as `ignore`.

    An SRDF file belongs to a URDF file and names its links. Groups, poses and joints in it are not read.
    """
    path = Path(path).expanduser()
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
