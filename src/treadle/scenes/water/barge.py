"""A box barge that floats and rolls: draft, metacentric height and period of roll are closed forms."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

from treadle.model import ModelSpec
from treadle.model.hydrodynamics import Fluid
from treadle.scenes.bars import BLUE, DARK, ORANGE

__all__ = ["barge"]

#: Length, beam and height (m), density over that of water.
SIZE, SHARE = (2.0, 1.0, 0.5), 0.5


def barge(heel: float = 0.2, wave: float = 0.0, damping: float = 0.0) -> ModelSpec:
    """A box of 2 x 1 x 0.5 m, half as heavy as water, that heels (rad); `wave`: amplitude from the side (m).

    `damping` is the ratio of its roll; without it and without waves it rolls for ever.
    """
    spec = ModelSpec("barge", settings={"dt": 5e-3})
    sea: dict[str, Any] = {"waves": ((wave, 3.0, 0.5 * pi, 0.0),)} if wave else {}
    Fluid(1000.0, surface=0.0, **sea).surround(spec)
    mass = 1000.0 * SHARE * SIZE[0] * SIZE[1] * SIZE[2]
    spec.add_body("barge", mass, type="box", size=SIZE)
    spec.add_joint("base", "free", None, "barge")
    beam, draft = SIZE[1], SHARE * SIZE[2]
    lever = beam**2 / (12.0 * draft) - 0.5 * (SIZE[2] - draft)
    drag = 2.0 * damping * sqrt(mass * 9.81 * lever * mass * (beam**2 + SIZE[2] ** 2) / 12.0)
    linear = (drag, drag, drag, 20.0 * drag, 20.0 * drag, 20.0 * drag)
    spec.add_hull("hull", "barge", shape="box", size=SIZE, linear_drag=linear)
    spec.add_shape("box", "barge", "box", SIZE, color=BLUE)
    spec.add_shape("deck", "barge", "box", (1.9, 0.9, 0.02), position=(0, 0, 0.26), color=DARK)
    spec.add_shape("cabin", "barge", "box", (0.4, 0.5, 0.3), position=(-0.6, 0, 0.41), color=ORANGE)
    turned = (cos(0.5 * heel), sin(0.5 * heel), 0.0, 0.0)
    spec.add_keyframe("initial", {"base": (*turned, 0.0, 0.0, 0.0)})
    return spec
