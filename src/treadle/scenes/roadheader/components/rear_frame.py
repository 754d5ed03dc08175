"""The rear frame behind the crawlers, and the two support legs that press the machine's tail off the floor.

The rear frame's origin is at its joint with the main body; a leg's is on its hinge, the left one is drawn.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from treadle.scenes.roadheader.components.shape import DARK, RED, STEEL, YELLOW, Shape
from treadle.scenes.roadheader.dimensions import CYLINDERS, LEG_HINGE
from treadle.scenes.roadheader.meshes import box, cylinder, lathe, loft, prism, rod
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["rear_frame", "rear_leg"]

_CYLINDER = CYLINDERS[7]
_SIDE = LEG_HINGE[1]


def rear_frame() -> list[Shape]:
    """The frame with a tower on each side for leg and cylinder."""
    tower = _tower()
    return [
        Shape("cross_beam", _cross_beam(), YELLOW),
        Shape("tower_left", tower, YELLOW),
        Shape("tower_right", tower.mirrored(), YELLOW),
        Shape("conveyor_saddle", _saddle(), DARK),
        Shape("pins", _pins(), STEEL),
        Shape("tow_hook", _tow_hook(), DARK),
        Shape("reflectors", _reflectors(), RED),
    ]


def rear_leg() -> list[Shape]:
    """The left leg: two plates with the rod's pin between them, and a skid."""
    return [Shape("arm", _arm(), YELLOW), Shape("skid", _skid(), DARK)]


def _cross_beam() -> Solid:
    """Under the conveyor, from side to side."""
    beam = prism([(0.02, -0.36), (-0.34, -0.30), (-0.42, -0.22), (-0.42, 0.0), (0.02, 0.0)], -0.775, 0.775)
    wings = [box((0.30, 0.34, 0.40), (-0.12, side * 0.60, 0.19), 0.02) for side in (-1, 1)]
    return joined([beam, *wings])


def _tower() -> Solid:
    """Two plates, the leg and the cylinder swinging between them."""
    outline = [
        (0.02, -0.34), (-0.30, -0.16), (-0.46, -0.10), (-0.47, 0.05), (-0.36, 0.14), (-0.36, 0.70),
        (-0.31, 0.84), (-0.20, 0.87), (-0.13, 0.76), (0.02, 0.40),
    ]  # fmt: skip
    plates = [prism(outline, _SIDE + side * 0.155 - 0.022, _SIDE + side * 0.155 + 0.022) for side in (-1, 1)]
    back = prism([(0.02, -0.20), (-0.03, -0.20), (-0.03, 0.36), (0.02, 0.38)], _SIDE - 0.14, _SIDE + 0.14)
    cap = box((0.16, 0.36, 0.03), (-0.22, _SIDE, 0.882), 0.006)
    return joined([*plates, back, cap])


def _saddle() -> Solid:
    """Posts and a roller beam that carry the conveyor's tail."""
    posts = [
        prism(
            [(-0.06, -0.02), (-0.34, -0.02), (-0.28, 0.33), (-0.12, 0.33)],
            side * 0.40 - 0.025,
            side * 0.40 + 0.025,
        )
        for side in (-1, 1)
    ]
    return joined([*posts, rod("y", 0.04, -0.46, 0.46, 12).moved(-0.20, 0.0, -0.005)])


def _pins() -> Solid:
    hinge = rod("y", 0.058, _SIDE - 0.20, _SIDE + 0.20, 12, 0.008).moved(LEG_HINGE[0], 0.0, LEG_HINGE[2])
    x, _, z = _CYLINDER.barrel_pin
    top = rod("y", 0.05, _SIDE - 0.195, _SIDE + 0.195, 10, 0.008).moved(x, 0.0, z)
    return joined([hinge, hinge.mirrored(), top, top.mirrored()])


def _tow_hook() -> Solid:
    plates = [
        prism(
            [(-0.40, -0.24), (-0.56, -0.20), (-0.60, -0.14), (-0.56, -0.08), (-0.40, -0.04)],
            y - 0.02,
            y + 0.02,
        )
        for y in (-0.07, 0.07)
    ]
    return joined([*plates, rod("z", 0.03, -0.20, -0.08, 10).moved(-0.54)])


def _reflectors() -> Solid:
    lamp = lathe([(0.0, 0.055), (0.03, 0.055), (0.045, 0.04)], 14).turned("z", pi)
    return joined([lamp.moved(-0.42, side * 0.66, -0.11) for side in (-1, 1)])


def _arm() -> Solid:
    """The plates of the arm, joined by webs above the foot."""
    outline = [(0.085 * cos(a), 0.085 * sin(a)) for a in np.linspace(-pi / 2, pi / 2, 7)]
    outline += [
        (-0.58, 0.03),
        (-0.70, 0.02),
        (-0.77, -0.06),
        (-0.78, -0.50),
        (-0.62, -0.50),
        (-0.56, -0.26),
        (-0.30, -0.12),
    ]
    plates = [prism(outline, side * 0.098 - 0.02, side * 0.098 + 0.02) for side in (-1, 1)]
    x, _, z = _CYLINDER.rod_pin
    pin = rod("y", 0.05, -0.135, 0.135, 14, 0.008).moved(x, 0.0, z)
    web = box((0.13, 0.17, 0.22), (-0.70, 0.0, -0.38), 0.01)
    bush = cylinder(0.085, -0.075, 0.075, 16).across()
    return joined([*plates, pin, web, bush])


def _skid() -> Solid:
    """The foot, turned up at both ends; its sole lies on the floor in the reference posture."""
    sole = -(LEG_HINGE[2] + 0.75)
    rings = []
    for x, low in ((-0.98, sole + 0.10), (-0.88, sole), (-0.52, sole), (-0.42, sole + 0.10)):
        rings.append([(x, -0.17, low), (x, 0.17, low), (x, 0.17, sole + 0.16), (x, -0.17, sole + 0.16)])
    ankle = prism(
        [(-0.84, sole + 0.14), (-0.56, sole + 0.14), (-0.62, sole + 0.26), (-0.78, sole + 0.26)], -0.14, 0.14
    )
    return joined([loft(rings), ankle])
