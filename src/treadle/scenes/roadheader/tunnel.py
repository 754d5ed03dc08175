"""A section of tunnel for the roadheader to work in: arched rock, steel sets, air duct and rock face.

Static scenery in the frame of the main body, one component for each side so that a view can leave some out.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from treadle.scenes.roadheader.components.shape import DARK, YELLOW, Color, Shape
from treadle.scenes.roadheader.meshes import hose, lathe, loft
from treadle.scenes.roadheader.solid import Face, Solid, joined

__all__ = ["tunnel"]

ROCK: Color = (0.42, 0.39, 0.37, 1.0)
FRESH_ROCK: Color = (0.33, 0.30, 0.28, 1.0)
FLOOR: Color = (0.36, 0.34, 0.32, 1.0)
RUST: Color = (0.45, 0.27, 0.18, 1.0)

#: half width, height of the straight walls, where it begins behind the machine and ends at the face
_HALF, _WALL, _BACK, _FACE = 3.05, 2.10, -9.0, 5.30
#: the rock's roughness and how thick it is drawn
_ROUGH, _THICK = 0.10, 0.45


def tunnel() -> dict[str, list[Shape]]:
    """The parts of the scenery by component."""
    return {
        "tunnel_floor": [Shape("floor", _floor(), FLOOR)],
        "tunnel_left": [
            Shape("wall", _shell(0.0, 0.30), ROCK),
            Shape("steel_sets", _steel_sets(0.004, 0.30), RUST),
        ],
        "tunnel_roof": [
            Shape("arch", _shell(0.30, 0.70), ROCK),
            Shape("steel_sets", _steel_sets(0.30, 0.70), RUST),
        ],
        "tunnel_right": [
            Shape("wall", _shell(0.70, 1.0), ROCK),
            Shape("steel_sets", _steel_sets(0.70, 0.996), RUST),
        ],
        "tunnel_face": [Shape("face", _rock_face(), FRESH_ROCK), Shape("muck", _muck(), FRESH_ROCK)],
        "tunnel_air_duct": [Shape("air_duct", _air_duct(), YELLOW)],
        "tunnel_cables": [Shape("cables", _cables(), DARK)],
    }


def profile(share: float, offset: float = 0.0) -> tuple[float, float]:
    """Point (y, z) of the outline, from the left foot (0) over the crown to the right (1), moved outward."""
    radius = _HALF + offset
    arc = pi * _HALF
    distance = share * (2 * _WALL + arc)
    if distance < _WALL:
        return radius, distance
    if distance < _WALL + arc:
        angle = (distance - _WALL) / _HALF
        return radius * cos(angle), _WALL + radius * sin(angle)
    return -radius, 2 * _WALL + arc - distance


def _shell(start: float, end: float) -> Solid:
    """A piece of the lining of rock between two shares of the outline."""
    count = round(44 * (end - start)) + 1
    stations = np.linspace(_BACK, _FACE + 0.55, 40)
    inner, outer = [], []
    for share in np.linspace(start, end, count):
        y, z = profile(share)
        far_y, far_z = profile(share, _THICK)
        normal = np.array([far_y - y, far_z - z]) / _THICK
        row = []
        for x in stations:
            bump = _ROUGH * _noise(2.2 * x, 16.0 * share)
            row.append(
                (
                    x + 0.10 * _noise(7.0 * x, 40.0 * share),
                    y + bump * normal[0],
                    max(0.0, z + bump * normal[1]),
                )
            )
        inner.append(row)
        outer.append([(x, far_y, far_z) for x in stations])
    return _slab(np.array(outer), np.array(inner))


def _floor() -> Solid:
    stations, across = np.linspace(_BACK, _FACE + 0.55, 40), np.linspace(-_HALF - _THICK, _HALF + _THICK, 16)
    top = [[(x, y, -0.012 - 0.035 * abs(_noise(1.9 * x, 2.3 * y))) for x in stations] for y in across]
    low = [[(x, y, -0.35) for x in stations] for y in across]
    return _slab(np.array(low), np.array(top))


def _rock_face() -> Solid:
    """The face, with the slot that the head has cut on its way from the right to where it stands."""
    across, heights = np.linspace(_HALF + 0.2, -_HALF - 0.2, 36), np.linspace(-0.1, _WALL + _HALF + 0.2, 30)
    front, back = [], []
    for z in heights:
        row = []
        for y in across:
            x = _FACE - 0.10 + 0.17 * _noise(2.4 * y + 7.0, 2.4 * z)
            # depth of the slot: the picks swing on a circle about the slewing axis
            level = abs(z - 2.62) / 0.62
            if y < 0.55 and level < 1.0:
                reach = 0.62 + (4.78**2 - min(4.7, abs(y)) ** 2) ** 0.5
                x = max(x, reach - 0.35 * level**2 + 0.05 * _noise(5.0 * y, 5.0 * z))
            row.append(
                (x, y + 0.07 * _noise(9.0 * y, 9.0 * z + 3.0), z + 0.06 * _noise(9.0 * y + 5.0, 9.0 * z))
            )
        front.append(row)
        back.append([(_FACE + 1.0, y, z) for y in across])
    return _slab(np.array(back), np.array(front))


def _muck(stones: int = 90) -> Solid:
    """Broken rock at the foot of the face and on the apron's lip."""
    pile = []
    for index in range(stones):
        size = 0.07 + 0.17 * _hash(index, 1.0) ** 2
        y = (2 * _hash(index, 2.0) - 1) * 2.5
        x = 3.90 + 1.20 * _hash(index, 3.0) ** 0.6
        pile.append(
            _stone(size, index).moved(x, y, 0.42 * size + 0.35 * max(0.0, x - 4.55) * _hash(index, 4.0))
        )
    return joined(pile)


def _stone(size: float, seed: int) -> Solid:
    """A lump: an octahedron-like solid with uneven corners."""
    rings = []
    for level, share in ((-0.45, 0.7), (0.35, 0.8)):
        angles = [2 * pi * (k + 0.5 * _hash(seed + k, level)) / 5 for k in range(5)]
        radii = [size * share * (0.75 + 0.5 * _hash(seed + k, level + 3.0)) for k in range(5)]
        rings.append([(r * cos(a), r * sin(a), level * size) for r, a in zip(radii, angles)])
    tip = [((_hash(seed, 5.0) - 0.5) * size, (_hash(seed, 6.0) - 0.5) * size, 0.75 * size)]
    return loft([*rings, tip])


def _steel_sets(start: float, end: float) -> Solid:
    """The part of the arched steel sets between two shares of the outline, with tie bars from set to set.

    A set stands every 1.2 m, the first well behind the face.
    """
    places = np.arange(_BACK + 0.6, 2.6, 1.2)
    shares = np.linspace(start, end, round(20 * (end - start)) + 1)
    arches = []
    for x in places:
        rings = []
        for share in shares:
            (y, z), (near_y, near_z) = profile(share, -0.06), profile(share, -0.20)
            rings.append(
                [(x + 0.05, y, z), (x - 0.05, y, z), (x - 0.05, near_y, near_z), (x + 0.05, near_y, near_z)]
            )
        arches.append(loft(rings))
    bars = []
    for share in (share for share in (0.16, 0.34, 0.5, 0.66, 0.84) if start < share < end):
        y, z = profile(share, -0.10)
        bars.append(hose([(places[0], y, z), (places[-1], y, z)], 0.022, 6))
    return joined([*arches, *bars])


def _air_duct() -> Solid:
    """The ventilation duct under the crown's left side, ribbed by its wire."""
    y, z = profile(0.36, -0.56)
    rings = [(x, 0.30 + 0.012 * (k % 2)) for k, x in enumerate(np.linspace(_BACK, 1.2, 48))]
    return lathe(rings, 20).moved(0.0, y, z)


def _cables() -> Solid:
    """Cables and a water pipe along the right wall, sagging between their hooks."""
    lines = []
    for level, radius in ((0.88, 0.035), (0.86, 0.022), (0.845, 0.022)):
        y, z = profile(level, -0.26)
        sag = 0.0 if radius > 0.03 else 0.07
        lines.append(
            hose([(x, y, z - sag * abs(sin(2.6 * x))) for x in np.linspace(_BACK, 1.5, 30)], radius, 6)
        )
    return joined(lines)


def _slab(outer: np.ndarray, inner: np.ndarray) -> Solid:
    """The solid between two sheets of points (rows, columns, 3).

    Columns crossed with rows point out of the rock at the inner sheet.
    """
    rows, columns, _ = inner.shape
    start = rows * columns

    def at(sheet: int, i: int, j: int) -> int:
        return sheet * start + i * columns + j

    faces: list[Face] = []
    for i in range(rows - 1):
        for j in range(columns - 1):
            a, b, c, d = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            faces += [tuple(at(0, *p) for p in t) for t in ((a, b, c), (a, c, d))]
            faces += [tuple(at(1, *p) for p in t) for t in ((a, c, b), (a, d, c))]
    rim = [(0, j) for j in range(columns)] + [(i, columns - 1) for i in range(1, rows)]
    rim += [(rows - 1, j) for j in range(columns - 2, -1, -1)] + [(i, 0) for i in range(rows - 2, 0, -1)]
    for p, q in zip(rim, [*rim[1:], rim[0]]):
        faces += [(at(0, *p), at(0, *q), at(1, *q)), (at(0, *p), at(1, *q), at(1, *p))]
    return Solid(np.vstack([outer.reshape(-1, 3), inner.reshape(-1, 3)]), tuple(faces))


def _noise(u: float, v: float) -> float:
    """A rough surface in [-1, 1]: lattice values, blended, on two scales."""
    return 0.65 * _blend(u, v) + 0.35 * _blend(2.7 * u + 11.0, 2.7 * v + 5.0)


def _blend(u: float, v: float) -> float:
    i, j = np.floor(u), np.floor(v)
    s, t = u - i, v - j
    corners = [2 * _hash(i + a, j + b) - 1 for a in (0, 1) for b in (0, 1)]
    low, high = corners[0] + (corners[1] - corners[0]) * t, corners[2] + (corners[3] - corners[2]) * t
    return float(low + (high - low) * s)


def _hash(a: float, b: float) -> float:
    """A number in [0, 1) that looks random, the same on every machine."""
    # whole-number arithmetic, so that rounding cannot make a difference
    value = (round(a * 16) * 73_856_093) ^ (round(b * 16) * 19_349_663)
    value = (value ^ (value >> 13)) * 1_274_126_177 & 0xFFFFFFFF
    return ((value ^ (value >> 16)) & 0xFFFF) / 0x10000
