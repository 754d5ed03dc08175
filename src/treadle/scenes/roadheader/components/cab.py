"""The operator's place at the left rear: seat, console with levers, roof on posts, windscreen."""

from __future__ import annotations

from math import pi

import numpy as np

from treadle.scenes.roadheader.components.shape import (
    BLACK,
    DARK,
    GLASS,
    ORANGE,
    RED,
    STEEL,
    YELLOW,
    Shape,
)
from treadle.scenes.roadheader.meshes import box, hose, lathe, prism, rod, round_bar
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["cab_shapes"]

_TOP = 0.965
_FRONT, _REAR, _INNER, _OUTER = -2.18, -3.22, 0.60, 1.30
_ROOF = 2.16


def cab_shapes() -> list[Shape]:
    """Parts of the operator's place."""
    return [
        Shape("seat", _seat(), BLACK),
        Shape("console", joined([_console(), _seat_base()]), DARK),
        Shape("levers", _levers(), STEEL),
        Shape("canopy_posts", joined([_posts(), _handrail()]), YELLOW),
        Shape("canopy_roof", _roof(), YELLOW),
        Shape("windscreen", _windscreen(), GLASS),
        Shape("fire_extinguisher", _extinguisher(), RED),
        Shape("beacon", _beacon(), ORANGE),
    ]


def _seat() -> Solid:
    """Cushion, back and rests, and the display above the console."""
    cushion = box((0.46, 0.46, 0.11), (-2.80, 0.95, _TOP + 0.42), 0.03)
    back = prism(
        [(-3.06, _TOP + 0.44), (-2.96, _TOP + 0.44), (-3.02, _TOP + 0.98), (-3.10, _TOP + 0.98)], 0.74, 1.16
    )
    rests = [box((0.32, 0.06, 0.05), (-2.84, y, _TOP + 0.62), 0.01) for y in (0.70, 1.20)]
    display = box((0.03, 0.22, 0.15), (-2.29, 1.12, _TOP + 0.70), 0.005)
    return joined([cushion, back, *rests, display])


def _seat_base() -> Solid:
    column = lathe(
        [(0.0, 0.20), (0.03, 0.20), (0.05, 0.09), (0.30, 0.09), (0.34, 0.18), (0.37, 0.18)], 12
    ).upright()
    return column.moved(-2.82, 0.95, _TOP)


def _console() -> Solid:
    body = prism(
        [
            (-2.40, _TOP),
            (-2.16, _TOP),
            (-2.16, _TOP + 0.62),
            (-2.24, _TOP + 0.62),
            (-2.48, _TOP + 0.50),
            (-2.48, _TOP + 0.42),
            (-2.40, _TOP + 0.36),
        ],
        0.64,
        1.28,
    )
    return body


def _levers() -> Solid:
    levers = []
    for y in np.linspace(0.70, 1.00, 5):
        levers.append(round_bar((-2.38, y, _TOP + 0.54), (-2.42, y, _TOP + 0.72), 0.011, 5))
        levers.append(
            lathe([(-0.024, 0.012), (-0.010, 0.024), (0.010, 0.024), (0.024, 0.012)], 6)
            .turned("y", pi / 2)
            .moved(-2.42, y, _TOP + 0.73)
        )
    return joined(levers)


def _posts() -> Solid:
    corners = [(_FRONT, _OUTER), (_FRONT, _INNER), (_REAR, _OUTER), (_REAR, _INNER)]
    posts = [box((0.07, 0.07, _ROOF - _TOP), (x, y, (_ROOF + _TOP) / 2)) for x, y in corners]
    rails = [
        box((_FRONT - _REAR, 0.05, 0.05), ((_FRONT + _REAR) / 2, y, _ROOF - 0.04)) for y in (_INNER, _OUTER)
    ]
    return joined([*posts, *rails])


def _roof() -> Solid:
    """A bent plate with edges turned down, ribs on top."""
    outline = [
        (_REAR - 0.12, _ROOF), (_FRONT + 0.10, _ROOF), (_FRONT + 0.24, _ROOF - 0.07),
        (_FRONT + 0.25, _ROOF - 0.03), (_FRONT + 0.10, _ROOF + 0.045), (_REAR - 0.12, _ROOF + 0.045),
    ]  # fmt: skip
    plate = prism(outline, _INNER - 0.08, _OUTER + 0.06)
    ribs = [box((1.10, 0.05, 0.03), (-2.70, y, _ROOF + 0.058)) for y in (0.72, 0.95, 1.18)]
    return joined([plate, *ribs])


def _windscreen() -> Solid:
    return box((0.016, _OUTER - _INNER - 0.08, 0.50), (_FRONT, (_OUTER + _INNER) / 2, _ROOF - 0.33), 0.003)


def _extinguisher() -> Solid:
    bottle = lathe(
        [(0.0, 0.07), (0.02, 0.085), (0.40, 0.085), (0.46, 0.05), (0.50, 0.03), (0.54, 0.03)], 14
    ).upright()
    return joined(
        [bottle.moved(-2.02, 1.20, _TOP), box((0.12, 0.03, 0.04), (-2.02, 1.20, _TOP + 0.55), 0.006)]
    )


def _handrail() -> Solid:
    """Grip at the step up to the seat."""
    return joined([ hose([
        (-3.02 + x, _OUTER + 0.02, _TOP + 0.30), (-3.02 + x, _OUTER + 0.07, _TOP + 0.34),
        (-3.02 + x, _OUTER + 0.07, _TOP + 0.66), (-3.02 + x, _OUTER + 0.02, _TOP + 0.70),
    ], 0.016, 6) for x in (-0.20, 0.84) ])  # fmt: skip


def _beacon() -> Solid:
    lamp = lathe([(0.0, 0.06), (0.02, 0.06), (0.025, 0.045), (0.10, 0.045), (0.13, 0.02)], 14).upright()
    return joined(
        [lamp.moved(-3.10, 0.80, _ROOF + 0.045), rod("z", 0.012, _ROOF, _ROOF + 0.05, 6).moved(-3.10, 0.80)]
    )
