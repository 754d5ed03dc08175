"""The main frame: plates between the crawlers, slewing pedestal, brackets of the cylinders, decks."""

from __future__ import annotations

from math import pi

import numpy as np

from treadle.scenes.roadheader.components.shape import DARK, ORANGE, STEEL, YELLOW, Shape
from treadle.scenes.roadheader.dimensions import CYLINDERS, SHOVEL_HINGE, SLEW_AXIS
from treadle.scenes.roadheader.meshes import box, flange, lathe, lug, prism, rod
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["frame_shapes"]

_SLEW, _SHOVEL = CYLINDERS[0], CYLINDERS[5]
_REAR, _DECK_FRONT, _DECK_LOW, _DECK_TOP = -3.30, 0.34, 0.885, 0.965


def frame_shapes() -> list[Shape]:
    """Parts of the frame."""
    side, deck = _side_plate(), _deck()
    return [
        Shape("side_plate_left", side, YELLOW),
        Shape("side_plate_right", side.mirrored(), YELLOW),
        Shape("belly", _belly(), DARK),
        Shape("pedestal", _pedestal(), YELLOW),
        Shape("slewing_ring", _ring(), STEEL),
        Shape("deck_left", deck, YELLOW),
        Shape("deck_right", deck.mirrored(), YELLOW),
        Shape("deck_treads", _treads(), DARK),
        Shape("slewing_brackets", _slewing_brackets(), ORANGE),
        Shape("shovel_brackets", _shovel_brackets(), ORANGE),
        Shape("pins", _pins(), STEEL),
    ]


def _side_plate() -> Solid:
    """The left plate, cut down in front so that the boom's feet can swing over it."""
    x, _, z = SHOVEL_HINGE
    outline = [
        (_REAR, 0.44), (0.90, 0.44), (1.12, 0.54), (x + 0.08, z - 0.07), (x + 0.11, z),
        (x + 0.08, z + 0.07), (x, z + 0.10), (0.98, 0.77), (0.66, 0.79), (0.66, 0.90), (_REAR, 0.90),
    ]  # fmt: skip
    # the crawlers are bolted to these
    saddles = [box((0.62, 0.06, 0.34), (x, 0.60, 0.54), 0.012) for x in (-2.27, -1.27, -0.32)]
    return joined([prism(outline, 0.36, 0.58), *saddles])


def _belly() -> Solid:
    """Floor plates and cross members under the conveyor."""
    plate = box((4.05, 0.74, 0.03), (-1.22, 0.0, 0.335 - 0.0), 0.0).moved(z=0.12)
    ties = [box((0.16, 1.16, 0.14), (x, 0.0, 0.40), 0.01) for x in (-3.1, -2.1, -1.0, 0.0)]
    return joined([plate, *ties])


def _pedestal() -> Solid:
    """Round seat of the slewing ring on a bridge over the conveyor."""
    seat = lathe([(0.815, 0.56), (0.84, 0.585), (0.98, 0.585), (1.00, 0.60)], 28).upright()
    bridge = prism([(-0.75, 0.80), (0.62, 0.80), (0.62, 0.95), (-0.75, 0.95)], -0.58, 0.58)
    return joined([seat.moved(SLEW_AXIS[0]), bridge])


def _ring() -> Solid:
    ring = flange(0.60, 0.42, 0.045, 28).upright()
    return ring.moved(SLEW_AXIS[0], 0.0, 1.00)


def _deck() -> Solid:
    """The left deck over the crawler: plate, skirt and mudguard in front."""
    plate = prism([
        (_REAR, _DECK_LOW), (_DECK_FRONT - 0.10, _DECK_LOW), (_DECK_FRONT, _DECK_LOW - 0.05),
        (_DECK_FRONT + 0.015, _DECK_LOW - 0.03), (_DECK_FRONT - 0.08, _DECK_TOP), (_REAR, _DECK_TOP),
    ], 0.58, 1.34)  # fmt: skip
    skirt = prism(
        [
            (_REAR, _DECK_LOW - 0.07),
            (0.16, _DECK_LOW - 0.07),
            (0.24, _DECK_LOW + 0.01),
            (_REAR, _DECK_LOW + 0.01),
        ],
        1.30,
        1.34,
    )
    back = prism(
        [(_REAR - 0.06, 0.55), (_REAR, 0.62), (_REAR, _DECK_TOP), (_REAR - 0.06, _DECK_TOP)], 0.60, 1.32
    )
    return joined([plate, skirt, back])


def _treads() -> Solid:
    """Anti-slip strips on the free parts of the decks."""
    left = [box((0.03, 0.34, 0.012), (x, 1.10, _DECK_TOP + 0.006)) for x in np.arange(-2.20, -1.80, 0.09)]
    front = [box((0.03, 0.56, 0.012), (x, 1.02, _DECK_TOP + 0.006)) for x in np.arange(0.10, 0.26, 0.07)]
    return joined([*left, *front, *[strip.mirrored() for strip in front]])


def _slewing_brackets() -> Solid:
    """Forked seats of the slewing barrels on the decks."""
    x, y, z = _SLEW.barrel_pin
    flat = lug(0.24, 0.115, 0.36, 0.04).turned("x", pi / 2)
    plates = [flat.moved(x, y, z + side * 0.093) for side in (-1, 1)]
    post = prism(
        [
            (x - 0.34, _DECK_TOP - 0.02),
            (x - 0.14, _DECK_TOP - 0.02),
            (x - 0.18, z + 0.13),
            (x - 0.30, z + 0.13),
        ],
        y - 0.17,
        y + 0.15,
    )
    left = joined([*plates, post])
    return joined([left, left.mirrored()])


def _shovel_brackets() -> Solid:
    """Ears under the belly for the shovel cylinders, and the bosses of the shovel's hinge."""
    x, y, z = _SHOVEL.barrel_pin
    ear = lug(0.16, 0.085, 0.26, 0.036).turned("y", pi / 2).moved(x, y, z)
    boss = lathe([(0.335, 0.105), (0.60, 0.105)], 20).across().moved(SHOVEL_HINGE[0], 0.0, SHOVEL_HINGE[2])
    left = joined([ear.moved(y=-0.072), ear.moved(y=0.072), boss])
    return joined([left, left.mirrored()])


def _pins() -> Solid:
    x, y, z = _SLEW.barrel_pin
    slew = rod("z", 0.058, z - 0.125, z + 0.135, 12, 0.008).moved(x, y)
    x, y, z = _SHOVEL.barrel_pin
    shovel = rod("y", 0.042, y - 0.105, y + 0.105, 10, 0.006).moved(x, 0.0, z)
    return joined([slew, slew.mirrored(), shovel, shovel.mirrored()])
