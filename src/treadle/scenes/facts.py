"""Facts that a scene tells about itself, beyond what can be seen in its model."""

from __future__ import annotations

import sys
from typing import NamedTuple

__all__ = ["Fact", "scene_facts"]


class Fact(NamedTuple):
    """A number with a name and a unit."""

    name: str
    value: float
    unit: str

    def __str__(self) -> str:
        return f"{self.value:.4g} {self.unit}".rstrip()


def scene_facts(name: str) -> list[Fact]:
    """What the module of a scene says in its function `facts`; nothing if it has none."""
    from treadle.scenes import SCENES

    tell = getattr(sys.modules[SCENES[name].__module__], "facts", None)
    return [] if tell is None else tell()
