"""The cutting head: a cone of cast steel with three spirals of picks in their holders.

The origin is at its base, x along the boom; it cuts turning about +x.
"""

from __future__ import annotations

from math import cos, sin, tau

import numpy as np

from treadle.scenes.roadheader.components.shape import GREY, IRON, ORANGE, STEEL, Shape
from treadle.scenes.roadheader.dimensions import (
    HEAD_LENGTH,
    HEAD_RADIUS,
    PICKS_PER_SPIRAL,
    SPIRAL_TURN,
    SPIRALS,
)
from treadle.scenes.roadheader.meshes import box, lathe, loft, pick, pick_holder
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["cutting_head", "pick_tips"]

#: body (x, radius) as shares of length and radius
_BODY = (
    (0.0, 0.78), (0.02, 0.86), (0.09, 0.95), (0.18, 1.0), (0.34, 0.99), (0.50, 0.92), (0.64, 0.80),
    (0.77, 0.63),
    (0.87, 0.46), (0.95, 0.27), (1.0, 0.16),
)  # fmt: skip
_PROFILE = [(x * HEAD_LENGTH, r * HEAD_RADIUS) for x, r in _BODY]
#: first and last pick along the axis
_FIRST, _LAST = 0.11, 0.955
#: lean of a pick from the surface's normal into the cut, and its sizes
_LEAN, _HOLDER, _PICK, _PICK_RADIUS = 0.72, 0.105, 0.115, 0.036


def cutting_head() -> list[Shape]:
    """The head; each spiral has its vane, its holders and its picks."""
    shapes = [
        Shape("body", lathe(_PROFILE, 30), ORANGE),
        Shape("hub", lathe([(-0.002, 0.275), (0.006, 0.285), (0.035, 0.285), (0.04, 0.25)], 20), STEEL),
        Shape("nose", _nose(), IRON),
    ]
    for spiral in range(SPIRALS):
        places = [_place(spiral, index) for index in range(PICKS_PER_SPIRAL)]
        holders = [pick_holder(_HOLDER, 0.048, 0.062).placed(R, p) for R, p in places]
        picks = [pick(_PICK, _PICK_RADIUS, 8).placed(R, p) for R, p in places]
        shapes += [
            Shape(f"vane_{spiral + 1}", _vane(spiral), ORANGE),
            Shape(f"holders_{spiral + 1}", joined(holders), GREY),
            Shape(f"picks_{spiral + 1}", joined(picks), STEEL),
        ]
    return shapes


def pick_tips() -> np.ndarray:
    """The picks' cutting points in the head's frame, (picks, 3)."""
    places = [_place(spiral, index) for spiral in range(SPIRALS) for index in range(PICKS_PER_SPIRAL)]
    return np.array([R[:, 0] * _PICK + p for R, p in places])


def _surface(x: float) -> tuple[float, float]:
    """Radius of the body and the slope of its outline, as the angle of the normal towards the tip."""
    xs, rs = np.array(_PROFILE).T
    radius, ahead, behind = (float(np.interp(value, xs, rs)) for value in (x, x + 0.04, x - 0.04))
    return radius, float(np.arctan2(behind - ahead, min(x + 0.04, xs[-1]) - x + 0.04))


def _spiral(spiral: int, share: float) -> tuple[float, float]:
    """Station along the axis and angle about it; turns of equal width come closer towards the tip."""
    return _FIRST + (_LAST - _FIRST) * share**0.92, tau * spiral / SPIRALS + SPIRAL_TURN * share


def _place(spiral: int, index: int) -> tuple[np.ndarray, np.ndarray]:
    """Frame of a pick (x along it) and the point where it leaves its holder."""
    share = (index + spiral / SPIRALS) / (PICKS_PER_SPIRAL - 1 + (SPIRALS - 1) / SPIRALS)
    x, angle = _spiral(spiral, share)
    radius, slope = _surface(x)
    outward, around = np.array([0.0, cos(angle), sin(angle)]), np.array([0.0, -sin(angle), cos(angle)])
    # the last picks look ahead, where the surface hardly does
    slope = max(slope, 1.25 * share**4)
    normal = cos(slope) * outward + np.array([sin(slope), 0.0, 0.0])
    along = cos(_LEAN) * normal + sin(_LEAN) * around
    third = np.cross(along, normal)
    third /= np.linalg.norm(third)
    R = np.column_stack([along, np.cross(third, along), third])
    foot = np.array([x, 0.0, 0.0]) + radius * outward
    return R, foot + 0.86 * _HOLDER * along


def _vane(spiral: int, stations: int = 26) -> Solid:
    """The low rib on which the holders of a spiral stand."""
    rings = []
    for share in np.linspace(0.0, 1.0, stations):
        x, angle = _spiral(spiral, share)
        radius, _ = _surface(x)
        outward = np.array([0.0, cos(angle), sin(angle)])
        base = np.array([x, 0.0, 0.0])
        low, high = base + (radius - 0.02) * outward, base + (radius + 0.055) * outward
        side = np.array([0.028, 0.0, 0.0])
        rings.append(np.array([low - side, low + side, high + 0.6 * side, high - 0.6 * side]))
    return loft(rings)


def _nose() -> Solid:
    """Plug with water nozzles at the tip."""
    plug = lathe([(HEAD_LENGTH - 0.03, 0.09), (HEAD_LENGTH + 0.02, 0.085), (HEAD_LENGTH + 0.045, 0.05)], 12)
    blocks = [
        box((0.05, 0.05, 0.04), (0.30 + 0.18 * i, 0.0, 0.985 * _surface(0.30 + 0.18 * i)[0])).turned(
            "x", tau * (i + 0.5 + 3 * k) / 9
        )
        for i in range(3)
        for k in range(3)
    ]
    return joined([plug, *blocks])
