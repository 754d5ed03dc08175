"""A crawler: an endless track of shoes round sprocket and idler, on a frame with rollers. Geometry only.

The frame's origin is on the floor in the middle of the track; the left one is drawn, +y its outer side.
"""

from __future__ import annotations

from math import pi

import numpy as np

from treadle.scenes.roadheader.components.shape import DARK, GREY, IRON, STEEL, YELLOW, Shape
from treadle.scenes.roadheader.dimensions import CRAWLER_BASE, CRAWLER_RADIUS, SHOE_COUNT, SHOE_WIDTH
from treadle.scenes.roadheader.meshes import (
    band,
    bolt_circle,
    box,
    cylinder,
    lathe,
    prism,
    rod,
    sprocket,
    track_shoe,
    tube,
)
from treadle.scenes.roadheader.solid import Solid, joined, rotation

__all__ = ["crawler"]

_THICKNESS, _GROUSER = 0.028, 0.032
_CHAIN = CRAWLER_RADIUS - _THICKNESS - _GROUSER
_AXLE = CRAWLER_RADIUS
_HALF = CRAWLER_BASE / 2


def crawler() -> list[Shape]:
    """The left crawler."""
    return [
        Shape("track", _along_track(track_shoe(_pitch(), SHOE_WIDTH, _THICKNESS, _GROUSER)) + _chain(), IRON),
        Shape("frame", _frame(), YELLOW),
        Shape("sprocket", _sprocket(), STEEL),
        Shape("final_drive", _final_drive(), YELLOW),
        Shape("idler", _idler(), GREY),
        Shape("rollers", _rollers(), GREY),
        Shape("track_guard", _guard(), DARK),
    ]


def _pitch() -> float:
    return (2 * CRAWLER_BASE + 2 * pi * _CHAIN) / SHOE_COUNT


def _along_track(piece: Solid) -> Solid:
    """A piece repeated round the track, its z axis outward."""
    pieces = []
    for index in range(SHOE_COUNT):
        x, z, angle = _place((index + 0.5) * _pitch())
        pieces.append(piece.placed(rotation("y", angle), (x, 0.0, z)))
    return joined(pieces)


def _place(distance: float) -> tuple[float, float, float]:
    """Point and turn about y of the chain line at a distance from the start of the upper run."""
    arc = pi * _CHAIN
    if distance < CRAWLER_BASE:
        return distance - _HALF, _AXLE + _CHAIN, 0.0
    distance -= CRAWLER_BASE
    if distance < arc:
        angle = distance / _CHAIN
        return _HALF + _CHAIN * np.sin(angle), _AXLE + _CHAIN * np.cos(angle), angle
    distance -= arc
    if distance < CRAWLER_BASE:
        return _HALF - distance, _AXLE - _CHAIN, pi
    angle = pi + (distance - CRAWLER_BASE) / _CHAIN
    return -_HALF + _CHAIN * np.sin(angle), _AXLE + _CHAIN * np.cos(angle), angle


def _chain(stations: int = 32) -> Solid:
    """The chain under the shoes, as one closed band."""
    length = SHOE_COUNT * _pitch()
    # a wheel takes as many stations as it turns, the straight runs none between their ends
    arc = pi * _CHAIN
    ends = [
        np.linspace(start, start + arc, stations // 2) for start in (CRAWLER_BASE, 2 * CRAWLER_BASE + arc)
    ]
    line = np.array([_place(distance % length) for distance in np.concatenate(ends)])
    rings = []
    for y, depth in ((-0.10, 0.0), (0.10, 0.0), (0.10, 0.055), (-0.10, 0.055)):
        x, z = line[:, 0] - depth * np.sin(line[:, 2]), line[:, 1] - depth * np.cos(line[:, 2])
        rings.append(np.column_stack([x, np.full(len(x), y), z]))
    return band(rings)


def _sprocket() -> Solid:
    """The chain wheel, and the bolts of the gear that turns it."""
    bolts = bolt_circle(0.205, 8, 0.036, 0.018).across().moved(y=0.282)
    return joined([sprocket(0.335, 0.285, 13, 0.09), bolts]).moved(-_HALF, 0.0, _AXLE)


def _frame() -> Solid:
    """The beam between the runs of the track: its outer plate, a step and the tensioning window."""
    outline = [
        (-1.30, 0.20), (1.22, 0.20), (1.36, 0.32), (1.36, 0.54), (1.22, 0.66), (-1.30, 0.66), (-1.40, 0.56),
        (-1.40, 0.30),
    ]  # fmt: skip
    plate = [(-1.18, 0.25), (0.98, 0.25), (1.10, 0.34), (1.10, 0.52), (0.98, 0.61), (-1.18, 0.61)]
    ribs = [box((0.05, 0.03, 0.34), (x, 0.275, 0.43)) for x in np.linspace(-1.0, 0.9, 6)]
    # carries the crawler on the main frame
    arms = [box((0.50, 0.42, 0.30), (x, -0.38, 0.52)) for x in (-1.0, 0.0, 0.95)]
    return joined([prism(outline, -0.20, 0.22), prism(plate, 0.22, 0.262), *ribs, *arms])


def _final_drive() -> Solid:
    """Motor and planetary gear in the sprocket."""
    drive = lathe([
        (-0.20, 0.16), (-0.16, 0.19), (0.05, 0.19), (0.06, 0.255), (0.255, 0.255), (0.282, 0.235),
        (0.285, 0.15), (0.325, 0.13), (0.33, 0.06),
    ], 20)  # fmt: skip
    return drive.across().moved(-_HALF, 0.0, _AXLE)


def _idler() -> Solid:
    wheel = lathe(
        [(-0.07, 0.24), (-0.06, 0.325), (-0.03, 0.345), (0.03, 0.345), (0.06, 0.325), (0.07, 0.24)], 20
    )
    hub = lathe([(-0.19, 0.08), (0.15, 0.08), (0.17, 0.11), (0.25, 0.11), (0.27, 0.08)], 12)
    yoke = [box((0.62, 0.05, 0.13), (-0.24, y, 0.0)) for y in (-0.16, 0.2)]
    return joined([joined([wheel, hub]).across(), *yoke]).moved(_HALF, 0.0, _AXLE)


def _rollers() -> Solid:
    """Seven track rollers below and two carriers above."""
    roller = lathe([(-0.15, 0.095), (0.15, 0.095)], 10)
    lower = [roller.across().moved(x, 0.0, 0.155) for x in np.linspace(-1.22, 1.22, 7)]
    carrier = [cylinder(0.055, -0.13, 0.13, 8).across().moved(x, 0.0, 0.665) for x in (-0.6, 0.55)]
    return joined(
        [*lower, *carrier, *[rod("y", 0.03, -0.2, 0.24, 6).moved(x, 0.0, 0.665) for x in (-0.6, 0.55)]]
    )


def _guard(segments: int = 20) -> Solid:
    """Ring and plates that keep stones out of the chain wheel."""
    ring = tube(0.30, 0.262, 0.19, 0.23, segments).across().moved(-_HALF, 0.0, _AXLE)
    plates = [box((0.36, 0.028, 0.05), (x, 0.245, 0.115)) for x in np.linspace(-1.02, 1.02, 6)]
    return joined([ring, *plates])
