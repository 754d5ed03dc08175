"""The scraper conveyor: from the apron under the boom through the machine, rising to the tail behind.

Its frame lies at the front end of the pan, on the main body; the pan's line is given in it.
"""

from __future__ import annotations

from math import cos, tan

import numpy as np

from treadle.scenes.roadheader.components.shape import BLACK, DARK, GREY, IRON, STEEL, YELLOW, Shape
from treadle.scenes.roadheader.dimensions import CONVEYOR_WIDTH, TAIL_RISE
from treadle.scenes.roadheader.meshes import bolt_circle, box, cylinder, hose, lathe, prism, rod, sprocket
from treadle.scenes.roadheader.solid import Solid, joined, rotation

__all__ = ["conveyor"]

#: stations along the pan: front, bend, tail end
_FRONT, _BEND, _END = 0.0, -2.85, -7.15
_HALF = CONVEYOR_WIDTH / 2
_WALL, _FLOOR = 0.26, 0.05


def conveyor() -> list[Shape]:
    """The conveyor with its tail boom."""
    drive = _drive()
    guard = _guard()
    return [
        Shape("pan_front", _pan(_FRONT, _BEND, _WALL), GREY),
        Shape("pan_tail", _tail_pan(), YELLOW),
        Shape("flights", _flights(), IRON),
        Shape("chains", _chains(), DARK),
        Shape("tail_gear", joined([_tail_sprockets(), _tensioners()]), STEEL),
        Shape("drive_left", drive, DARK),
        Shape("drive_right", drive.mirrored(), DARK),
        Shape("side_guards", joined([guard, guard.mirrored()]), YELLOW),
        Shape("tail_stripes", _stripes(), BLACK),
    ]


def height(x: float) -> float:
    """Height of the pan's floor at a station."""
    return max(0.0, _BEND - x) * tan(TAIL_RISE)


def _channel(wall: float) -> list[tuple[float, float]]:
    """Cross-section (y, z) of the pan."""
    out = _HALF + 0.035
    return [
        (-out, -0.16),
        (out, -0.16),
        (out, wall),
        (_HALF, wall),
        (_HALF, 0.0),
        (-_HALF, 0.0),
        (-_HALF, wall),
        (-out, wall),
    ]


def _pan(front: float, back: float, wall: float) -> Solid:
    return prism(_channel(wall), back, front, along="x")


def _tail_pan() -> Solid:
    """The rising pan, stiffened by collars."""
    length = (_BEND - _END) / cos(TAIL_RISE)
    pan = _pan(0.0, -length, 0.30)
    collars = [
        box((0.05, 2 * _HALF + 0.16, 0.06), (-x, 0.0, -0.17)) + box((0.05, 0.04, 0.42),
                                                                    (-x, _HALF + 0.05, 0.04))
        + box((0.05, 0.04, 0.42), (-x, -_HALF - 0.05, 0.04)) for x in np.linspace(1.7, length - 0.5, 5)
    ]  # fmt: skip
    return joined([pan, *collars]).turned("y", TAIL_RISE).moved(_BEND)


def _line(x: float, lift: float) -> np.ndarray:
    return np.array([x, 0.0, height(x) + lift])


def _flights() -> Solid:
    """Scraper bars that drag the rock along."""
    bars = []
    for x in np.arange(_FRONT - 0.25, _END + 0.3, -0.42):
        tilt = TAIL_RISE if x < _BEND else 0.0
        bar = box((0.05, 2 * _HALF - 0.05, 0.055))
        bars.append(bar.placed(rotation("y", tilt), _line(x, 0.04)))
    return joined(bars)


def _chains() -> Solid:
    path = [_line(x, 0.035) for x in (_FRONT, -0.9, -1.9, _BEND, -4.2, -5.6, _END + 0.15)]
    left = hose(path, 0.024, 6).moved(y=0.17)
    return joined([left, left.mirrored()])


def _tail_sprockets() -> Solid:
    wheel = sprocket(0.16, 0.125, 8, 0.06)
    shaft = rod("y", 0.055, -_HALF - 0.05, _HALF + 0.05, 10)
    return joined([wheel.moved(y=0.17), wheel.moved(y=-0.17), shaft]).moved(*_line(_END + 0.10, -0.06))


def _drive() -> Solid:
    """Hydraulic motor with its gear on the left of the tail."""
    gear = lathe([
        (0.34, 0.17), (0.36, 0.20), (0.47, 0.20), (0.49, 0.15), (0.56, 0.15), (0.57, 0.11), (0.70, 0.11),
        (0.72, 0.08),
    ], 16)  # fmt: skip
    bolts = bolt_circle(0.175, 6, 0.034, 0.016).moved(0.47)
    block = box((0.14, 0.10, 0.16), (0.0, 0.66, 0.0), 0.015)
    return joined([joined([gear, bolts]).across(), block]).moved(*_line(_END + 0.10, -0.06))


def _guard() -> Solid:
    """End plate round the left drive, and the spill board above the wall."""
    x = _END
    z = height(_END)
    plate = prism([
        (x - 0.10, z - 0.20), (x + 0.45, z - 0.26), (x + 0.95, z - 0.25), (x + 0.95, z + 0.10),
        (x + 0.45, z + 0.36), (x + 0.05, z + 0.36), (x - 0.10, z + 0.18),
    ], _HALF + 0.03, _HALF + 0.07)  # fmt: skip
    rail = hose([_line(x + 0.3, 0.40), _line(_BEND - 1.3, 0.40)], 0.022, 6)
    stations = np.linspace(x + 0.4, _BEND - 1.4, 5)
    posts = [rod("z", 0.016, 0.25, 0.40, 6).moved(*_line(s, 0.0)) for s in stations]
    return joined([plate, joined([rail, *posts]).moved(y=_HALF + 0.05)])


def _tensioners() -> Solid:
    """Screws that tighten the chains, on both sides of the tail."""
    screw = joined(
        [
            cylinder(0.03, 0.0, 0.55, 8),
            cylinder(0.05, 0.20, 0.30, 6),
            box((0.10, 0.08, 0.12), (0.58, 0.0, 0.0)),
        ]
    )
    left = screw.turned("y", TAIL_RISE).moved(*_line(_END + 0.42, 0.02)).moved(y=_HALF + 0.12)
    return joined([left, left.mirrored()])


def _stripes() -> Solid:
    """Warning stripes on the tail's end plates."""
    z = height(_END)
    stripe = [(0.0, 0.0), (0.06, 0.0), (0.16, 0.22), (0.10, 0.22)]
    stripes = [
        prism([(_END + 0.06 + 0.13 * k + x, z + 0.08 + up) for x, up in stripe], _HALF + 0.069, _HALF + 0.074)
        for k in range(3)
    ]
    return joined([*stripes, *[stripe.mirrored() for stripe in stripes]])
