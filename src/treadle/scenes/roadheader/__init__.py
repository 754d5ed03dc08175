"""A longitudinal boom roadheader of the EBZ230 class: 60 t, 230 kW, nine hydraulic cylinders in closed loops.

`generate.py` makes robot.toml (bodies, joints, loops, drives, postures), roadheader.3dt (its 162 parts) and
tunnel.3dt (scenery) from the dimensions and the shapes in this folder.
"""

from __future__ import annotations

from pathlib import Path

from treadle.formats.load import load_spec
from treadle.model import ModelSpec

__all__ = ["FOLDER", "roadheader"]

#: Where the machine's files are.
FOLDER = Path(__file__).parent


def roadheader() -> ModelSpec:
    """The roadheader, braced on its floor: slew, lift, extend, cutter, shovel, star wheels, support legs."""
    return load_spec(FOLDER / "robot.toml")
