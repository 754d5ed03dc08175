"""A longitudinal boom roadheader of the EBZ230 class: 60 t, 230 kW, nine hydraulic cylinders in closed loops.

`generate.py` makes robot.toml (bodies, joints, loops, drives, postures), roadheader.3dt (its 162 parts) and
tunnel.3dt (scenery) from the dimensions and the shapes in this folder.
"""

from __future__ import annotations

from pathlib import Path

from treadle.formats.load import load_spec
from treadle.model import ModelSpec
from treadle.scenes.facts import Fact

__all__ = ["FOLDER", "facts", "roadheader"]

#: Where the machine's files are.
FOLDER = Path(__file__).parent


def roadheader() -> ModelSpec:
    """The roadheader, braced on its floor: slew, lift, extend, cutter, shovel, star wheels, support legs."""
    return load_spec(FOLDER / "robot.toml")


def facts() -> list[Fact]:
    """Total mass, reach and working envelope, computed from the dimensions."""
    from treadle.scenes.roadheader.checks import working_envelope
    from treadle.scenes.roadheader.dimensions import body_masses

    space = working_envelope()
    return [
        Fact("total mass", sum(body_masses().values()) / 1e3, "t"),
        Fact("reach ahead of the slewing axis", space.reach, "m"),
        Fact("cutting height", space.height, "m"),
        Fact("cutting width", space.width, "m"),
        Fact("cutting width on the floor", space.floor_width, "m"),
        Fact("undercut below the floor", space.undercut, "m"),
    ]
