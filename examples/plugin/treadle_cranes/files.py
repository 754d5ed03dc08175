"""Files that end in .crane: a line "load = 500" and a line "rope = 6"."""

from __future__ import annotations

from pathlib import Path

import treadle as td
from treadle.formats.load import Format
from treadle.formats.save import Writer
from treadle_cranes.scene import crane

__all__ = ["FORMAT", "WRITER"]


def read(content: bytes, name: str, floating_base: bool) -> td.ModelSpec:
    """The crane that a file describes."""
    values = {}
    for number, line in enumerate(content.decode().splitlines(), start=1):
        key, _, value = (part.strip() for part in line.partition("="))
        if key not in ("load", "rope"):
            raise td.ModelError(f"unknown word {key!r}", line=number, hint="use load and rope")
        values[key] = float(value)
    return crane(**values)


def write(model: td.Model, path: Path) -> list:
    """The file of a crane; it can say all of it."""
    load = model.frame("load")
    mass = next(link.mass for link in model.links if link.name == load.name)
    path.write_text(f"load = {mass!r}\n")
    return []


FORMAT = Format(read)
WRITER = Writer(write)
