"""The roadheader on the ground: it stands on the shoes of its tracks and presses its head against rock.

The nine cylinders in their loops push the head; friction under the tracks is all that holds the machine.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from treadle.formats.load import load_spec
from treadle.model import ModelSpec
from treadle.scenes.roadheader import FOLDER
from treadle.scenes.roadheader.dimensions import (
    CRAWLER_BASE,
    HEAD_LENGTH,
    HEAD_MOUNT,
    LIFT_AXIS,
    LIFT_ZERO,
    SHOE_WIDTH,
    SLEW_AXIS,
    TELESCOPE_MOUNT,
)

__all__ = ["roadheader_ground"]

#: Thickness of the shoes under a track (m), and how many boxes stand for those that are on the ground.
_SHOE, _BOXES = 0.06, 2
#: Half lengths of the ellipsoid around the tips of the picks, along the head and across (m).
_HEAD = (0.58, 0.53, 0.53)


def roadheader_ground(gap: float = 0.05, friction: float = 0.7) -> ModelSpec:
    """The machine on a floor of a `friction`, a rock face before its head, a `gap` (m) away from it."""
    spec = load_spec(FOLDER / "robot.toml")
    spec.name = "roadheader-ground"
    spec.settings = {**spec.settings, "dt": 2e-3, "routine": _ROUTINE}
    base = spec.joint("floor")
    base.name, base.type = "base", "free"
    spec.add_material("floor", friction=friction)
    spec.add_material("steel", friction=friction)
    spec.add_material("rock", friction=0.5)
    spec.add_shape("floor", None, "plane", role="collision", material="floor")
    _add_shoes(spec)
    _add_head(spec, gap)
    return spec


def _add_shoes(spec: ModelSpec) -> None:
    """Boxes under the straight part of each track, down to the tips of its grousers."""
    length = CRAWLER_BASE / (2 * _BOXES - 1)
    for side in ("left", "right"):
        for k in range(_BOXES):
            x = (k - 0.5 * (_BOXES - 1)) * 2.0 * length
            name = f"{side}_shoes{k + 1}"
            place = {"position": (x, 0.0, 0.5 * _SHOE), "role": "collision", "material": "steel"}
            spec.add_shape(name, f"crawler_{side}", "box", (length, SHOE_WIDTH, _SHOE), **place)


def _add_head(spec: ModelSpec, gap: float) -> None:
    """What touches of the head, and the rock before it."""
    middle = 0.5 * HEAD_LENGTH
    spec.add_shape(
        "head_skin",
        "cutting_head",
        "ellipsoid",
        _HEAD,
        position=(middle, 0, 0),
        role="collision",
        material="steel",
    )
    along = TELESCOPE_MOUNT[0] + HEAD_MOUNT[0] + middle
    # how far an ellipsoid that is raised by an angle reaches ahead of its middle
    reach = sqrt((_HEAD[0] * cos(LIFT_ZERO)) ** 2 + (_HEAD[2] * sin(LIFT_ZERO)) ** 2)
    face = SLEW_AXIS[0] + LIFT_AXIS[0] + along * cos(LIFT_ZERO) + reach + gap
    rock = (1.0, 6.0, 5.0)
    place = {"position": (face + 0.5 * rock[0], 0.0, 0.5 * rock[2]), "role": "collision", "material": "rock"}
    spec.add_shape("rock", None, "box", rock, **place)


#: Run up the cutter, stop it, press the head against the rock, hold it there, and draw it back.
_ROUTINE = [
    [1.0, {"cutter": 2.0}],
    [1.0, {"cutter": 0.0}],
    [0.5, {"extend": 1.0}],
    [2.0, {}],
    [0.5, {"extend": 0.0}],
    [1.5, {}],
    [0.5, {"extend": -1.0}],
    [1.0, {}],
    [0.5, {"extend": 0.0}],
]
