"""The shovel plate (loading apron) and the two star wheels that gather the rock into the conveyor.

The shovel's origin is on its hinge; a star wheel's is on the deck, z across the deck.
"""

from __future__ import annotations

from math import cos, pi, sin, tan, tau

import numpy as np

from treadle.scenes.roadheader.components.shape import DARK, GREY, ORANGE, STEEL, WORN, YELLOW, Shape
from treadle.scenes.roadheader.dimensions import (
    CONVEYOR_WIDTH,
    CYLINDERS,
    DECK_LIP,
    DECK_SLOPE,
    SHOVEL_ROOT,
    SHOVEL_WIDTH,
    STAR_X,
    STAR_Y,
)
from treadle.scenes.roadheader.meshes import bolt_circle, box, lathe, loft, lug, prism, rod
from treadle.scenes.roadheader.solid import Solid, joined, rotation

__all__ = ["gathering_arm", "shovel_plate"]

_CYLINDER = CYLINDERS[5]
_ROOT_X, _SHOULDER_X, _EDGE_X, _DECK_PLATE = 0.50, 1.02, 2.33, 0.02
_LIP_X, _LIP_Z = DECK_LIP[0], DECK_LIP[2]


def shovel_plate() -> list[Shape]:
    """The apron."""
    wing, arm = _wing(), _hinge_arm()
    return [
        Shape("apron", _apron(), YELLOW),
        Shape("deck", _deck_plate(), WORN),
        Shape("lip", _lip(), STEEL),
        Shape("wing_left", wing, YELLOW),
        Shape("wing_right", wing.mirrored(), YELLOW),
        Shape("throat", _throat(), GREY),
        Shape("hinge_arm_left", arm, YELLOW),
        Shape("hinge_arm_right", arm.mirrored(), YELLOW),
        Shape("hinge_pins", _hinge_pins(), STEEL),
        Shape("cylinder_lugs", _cylinder_lugs(), YELLOW),
        Shape("star_seats", _star_seats(), DARK),
    ]


def gathering_arm() -> list[Shape]:
    """The left star wheel: five swept arms round a hub, turning about its z."""
    hub = lathe([(0.014, 0.30), (0.05, 0.30), (0.07, 0.26), (0.105, 0.24), (0.142, 0.17), (0.148, 0.10)], 24)
    bolts = bolt_circle(0.135, 6, 0.036, 0.018).moved(0.144)
    upright = ("y", -pi / 2)
    return [
        Shape("hub", hub.turned(*upright), ORANGE),
        Shape(
            "arms",
            joined([bolts.turned(*upright), *[_arm().turned("z", tau * k / 5) for k in range(5)]]),
            STEEL,
        ),
    ]


def deck(x: float) -> float:
    """Height of the deck above the shovel's origin at a distance from the hinge."""
    return _LIP_Z + (_LIP_X - x) * tan(DECK_SLOPE)


def _apron() -> Solid:
    """The wedge under the deck."""
    half = SHOVEL_WIDTH / 2
    sections = [
        (_ROOT_X, SHOVEL_ROOT / 2, -0.42),
        (_SHOULDER_X, half, -0.545),
        (2.20, half, -0.64),
        (_EDGE_X, half, -0.65),
    ]
    return loft([_section(x, width, low, deck(x) - _DECK_PLATE) for x, width, low in sections])


def _deck_plate() -> Solid:
    """The plate that the rock slides on, polished by it."""
    inset = 0.03
    sections = [(_ROOT_X, SHOVEL_ROOT / 2), (_SHOULDER_X, SHOVEL_WIDTH / 2), (_EDGE_X, SHOVEL_WIDTH / 2)]
    return loft([_section(x, half - inset, deck(x) - _DECK_PLATE, deck(x)) for x, half in sections])


def _section(x: float, half: float, low: float, high: float) -> list[tuple[float, float, float]]:
    """A rectangle across the machine."""
    return [(x, -half, low), (x, half, low), (x, half, high), (x, -half, high)]


def _lip() -> Solid:
    """The hardened edge, drawn forward in the middle, with blunt teeth."""
    half, x = SHOVEL_WIDTH / 2, _EDGE_X
    edge = [(x, -half), (2.40, -half), (2.49, -0.75), (2.49, 0.75), (2.40, half), (x, half)]
    top, low = deck(x) - 0.003, -0.65
    plate = loft([np.array([(px, py, low) for px, py in edge]),
                  np.array([(px, py, low + 0.035 if px > x else top) for px, py in edge])])  # fmt: skip
    teeth = [box((0.14, 0.07, 0.035), (2.50 - 0.09 * max(0.0, abs(y) - 0.75) / 0.85, y, low + 0.025))
             for y in np.linspace(-1.45, 1.45, 11)]  # fmt: skip
    return joined([plate, *teeth])


def _wing() -> Solid:
    """The left side wall, guiding the rock inward."""
    half = SHOVEL_WIDTH / 2
    wall = []
    for x, y, up in (
        (0.50, SHOVEL_ROOT / 2, 0.16),
        (1.02, half, 0.06),
        (2.05, half, 0.025),
        (2.28, half, 0.015),
    ):
        z = deck(x)
        wall.append(
            [(x, y - 0.05, z - 0.03), (x, y + 0.01, z - 0.03), (x, y + 0.01, z + up), (x, y - 0.05, z + up)]
        )
    return loft(wall)


def _throat() -> Solid:
    """Guides that lead from the star wheels into the conveyor, and the pan between them."""
    half = CONVEYOR_WIDTH / 2
    guide = []
    for x, y, up in ((0.14, half + 0.02, 0.29), (0.50, half + 0.04, 0.26), (0.80, 0.54, 0.14)):
        z = deck(x)
        guide.append([(x, y, z - 0.02), (x, y + 0.05, z - 0.02), (x, y + 0.05, z + up), (x, y, z + up)])
    left = loft(guide)
    pan = loft([ [
        (x, -half - 0.06, deck(x) - 0.10), (x, half + 0.06, deck(x) - 0.10),
        (x, half + 0.06, deck(x) + 0.004), (x, -half - 0.06, deck(x) + 0.004),
    ] for x in (0.14, 0.60) ])  # fmt: skip
    # the drum round which the conveyor's chain turns, and the scraper bars on their way to it
    drum = rod("y", 0.075, -half, half, 12).moved(1.0, 0.0, deck(1.0) - 0.035)
    bars = [box((0.05, 2 * half - 0.05, 0.05), (x, 0.0, deck(x) + 0.02)) for x in (0.22, 0.60, 0.90)]
    return joined([left, left.mirrored(), pan, drum, *bars])


def _hinge_arm() -> Solid:
    """The left arm from the hinge to the apron, outside the main frame's plate."""
    outline = [(0.10 * cos(a), 0.10 * sin(a)) for a in np.linspace(pi / 2, 3 * pi / 2, 9)]
    outline += [(0.30, -0.36), (0.56, -0.42), (0.56, -0.02), (0.30, 0.06)]
    plate = prism(outline, 0.605, 0.665)
    cover = prism(
        [(0.22, -0.30), (0.56, -0.42), (0.56, deck(0.56) + 0.01), (0.22, -0.03)], 0.665, SHOVEL_ROOT / 2
    )
    return joined([plate, cover])


def _hinge_pins() -> Solid:
    pin = rod("y", 0.058, 0.33, 0.69, 16, 0.008)
    return joined([pin, pin.mirrored()])


def _cylinder_lugs() -> Solid:
    """A pair of plates for each shovel cylinder's rod, under the throat."""
    x, y, z = _CYLINDER.rod_pin
    plate = lug(0.62, 0.085, 0.20, 0.04).turned("y", pi).moved(x, y, z)
    left = joined(
        [
            plate.moved(y=-0.075),
            plate.moved(y=0.075),
            rod("y", 0.042, y - 0.11, y + 0.11, 14).moved(x, 0.0, z),
        ]
    )
    return joined([left, left.mirrored()])


def _star_seats() -> Solid:
    """The round plates on the deck over which the star wheels turn."""
    disc = lathe([(-0.01, 0.655), (0.008, 0.655), (0.012, 0.64)], 28).upright()
    left = disc.placed(rotation("y", DECK_SLOPE), (STAR_X, STAR_Y, deck(STAR_X)))
    return joined([left, left.mirrored()])


def _arm() -> Solid:
    """One swept arm in the plane of the wheel."""
    outline = []
    for radius, lead, half in (
        (0.20, 0.0, 0.095),
        (0.36, 0.10, 0.085),
        (0.50, 0.28, 0.07),
        (0.625, 0.52, 0.05),
    ):
        outline.append((radius, lead, half))
    rings = []
    for radius, lead, half in outline:
        center = np.array([radius * cos(lead), radius * sin(lead), 0.0])
        across = np.array([-sin(lead + 0.5), cos(lead + 0.5), 0.0]) * half
        low, high = np.array([0.0, 0.0, 0.022]), np.array([0.0, 0.0, 0.108])
        rings.append(np.array([center + across + low, center - across + low, center - 0.75 * across + high,
                               center + 0.75 * across + high]))  # fmt: skip
    return loft(rings[::-1])
