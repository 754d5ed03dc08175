"""The arm base (swing table): turns on the slewing ring, carries the boom's pivot and the lifting cylinders.

Origin on the slewing axis; the slewing cylinders pass behind it on both sides at z = -0.287.
"""

from __future__ import annotations

from math import pi

import numpy as np

from treadle.scenes.roadheader.components.shape import BLACK, GREY, ORANGE, RUBBER, STEEL, YELLOW, Shape
from treadle.scenes.roadheader.dimensions import CYLINDERS, LIFT_AXIS
from treadle.scenes.roadheader.meshes import (
    bolt_circle,
    box,
    cylinder,
    flange,
    hose,
    lathe,
    loft,
    lug,
    prism,
    rod,
)
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["arm_base"]

_SLEW, _LIFT = CYLINDERS[0], CYLINDERS[2]
_RING_BOTTOM, _RING_TOP = -0.447, -0.405


def arm_base() -> list[Shape]:
    """The arm base."""
    left_cheek = _cheek()
    return [
        Shape("slewing_ring", _ring(), STEEL),
        Shape("core", _core(), YELLOW),
        Shape("cheek_left", left_cheek, YELLOW),
        Shape("cheek_right", left_cheek.mirrored(), YELLOW),
        Shape("nose", _nose(), YELLOW),
        Shape("slewing_ears", _slewing_ears(), ORANGE),
        Shape("pins", _pins(), STEEL),
        Shape("pivot_caps", _caps(), GREY),
        Shape("valve_block", _valve_block(), BLACK),
        Shape("hoses", _hoses(), RUBBER),
    ]


def _ring() -> Solid:
    height = _RING_TOP - _RING_BOTTOM
    bolts = bolt_circle(0.555, 14, 0.046, 0.022).moved(0.65 * height)
    return joined([flange(0.60, 0.40, height, 28), bolts]).upright().moved(z=_RING_BOTTOM)


def _core() -> Solid:
    """Narrow behind, where the slewing cylinders swing past; wide above them."""
    waist = [
        (-0.34, -0.14), (-0.20, -0.32), (0.05, -0.38), (0.30, -0.42), (0.30, 0.42), (0.05, 0.38),
        (-0.20, 0.32), (-0.34, 0.14),
    ]  # fmt: skip
    top = [
        (-0.46, -0.26), (-0.30, -0.46), (0.0, -0.58), (0.30, -0.62), (0.30, 0.62), (0.0, 0.58),
        (-0.30, 0.46), (-0.46, 0.26),
    ]  # fmt: skip
    roof = [
        (-0.36, -0.20), (-0.22, -0.38), (0.05, -0.48), (0.22, -0.50), (0.22, 0.50), (0.05, 0.48),
        (-0.22, 0.38), (-0.36, 0.20),
    ]  # fmt: skip
    rings = [(waist, _RING_TOP), (waist, -0.15), (top, -0.10), (top, 0.20), (roof, 0.32)]
    tower = loft([np.column_stack([np.array(ring), np.full(len(ring), z)]) for ring, z in rings])
    # ties the cheeks together behind the boom's fork
    bulkhead = prism([(0.16, -0.385), (0.32, -0.385), (0.32, 0.22), (0.24, 0.28), (0.16, 0.24)], -0.73, 0.73)
    return joined([tower, bulkhead])


def _cheek() -> Solid:
    """The left cheek plate with its boss for the boom's pivot and its foot for the lifting cylinder."""
    outline = [
        (0.16, -0.385), (0.16, 0.26), (0.30, 0.40), (0.58, 0.40), (0.86, 0.26), (0.985, 0.10),
        (0.985, -0.06), (0.90, -0.22), (0.86, -0.42), (0.85, -0.58), (0.80, -0.67), (0.70, -0.705),
        (0.60, -0.68), (0.55, -0.59), (0.52, -0.43), (0.42, -0.385),
    ]  # fmt: skip
    x, _, z = LIFT_AXIS
    boss = lathe([(0.72, 0.22), (0.865, 0.22), (0.875, 0.20)], 24).across().moved(x, 0.0, z)
    rib = prism([(0.20, 0.20), (0.36, 0.20), (0.60, -0.36), (0.44, -0.36)], 0.84, 0.865)
    return joined([prism(outline, 0.72, 0.84), boss, rib])


def _nose() -> Solid:
    """The plate between the cheeks' feet under the boom, with the inner ears of the lifting pins."""
    plate = prism(
        [(0.18, -0.385), (0.46, -0.385), (0.52, -0.43), (0.52, -0.47), (0.46, -0.445), (0.18, -0.445)],
        -0.73,
        0.73,
    )
    x, _, z = _LIFT.barrel_pin
    inner = lug(0.20, 0.125, 0.22, 0.05).turned("y", 0.75).moved(x, 0.435, z)
    tie = box((0.07, 0.82, 0.20), (x - 0.05, 0.0, z + 0.03), 0.01)
    return joined([plate, inner, inner.mirrored(), tie])


def _slewing_ears() -> Solid:
    """Plates above and below each slewing rod's eye."""
    x, y, z = _SLEW.rod_pin
    flat = lug(0.34, 0.115, 0.42, 0.038, 10).turned("x", pi / 2).across()
    left = [flat.moved(x, y, z + side * 0.093) for side in (-1, 1)]
    return joined([*left, *[plate.mirrored() for plate in left]])


def _pins() -> Solid:
    x, y, z = _SLEW.rod_pin
    slew = rod("z", 0.058, z - 0.125, z + 0.135, 12, 0.008).moved(x, y)
    x, y, z = _LIFT.barrel_pin
    lift = rod("y", 0.075, 0.395, 0.875, 12, 0.01).moved(x, 0.0, z)
    return joined([slew, slew.mirrored(), lift, lift.mirrored()])


def _caps() -> Solid:
    """Covers over the ends of the boom's pivot pin."""
    x, _, z = LIFT_AXIS
    cap = joined(
        [
            lathe([(0.875, 0.175), (0.895, 0.165), (0.90, 0.05)], 18),
            bolt_circle(0.135, 6, 0.034, 0.016).moved(0.89),
        ]
    )
    left = cap.across().moved(x, 0.0, z)
    return joined([left, left.mirrored()])


def _valve_block() -> Solid:
    """Hose distributor on the roof."""
    block = box((0.26, 0.46, 0.10), (-0.04, 0.0, 0.37), 0.012)
    fittings = [cylinder(0.026, 0.0, 0.07, 8).moved(0.09, y, 0.37) for y in np.linspace(-0.18, 0.18, 5)]
    back = [cylinder(0.026, -0.07, 0.0, 8).moved(-0.17, y, 0.37) for y in np.linspace(-0.18, 0.18, 5)]
    return joined([block, *fittings, *back])


def _hoses() -> Solid:
    """From the distributor down to the slewing ring's middle and over to the pivot."""
    hoses = []
    for y in np.linspace(-0.18, 0.18, 5):
        hoses.append(hose([
            (-0.24, y, 0.37), (-0.33, y, 0.40), (-0.43, 0.9 * y, 0.35), (-0.49, 0.8 * y, 0.20),
            (-0.50, 0.8 * y, 0.02), (-0.47, 0.7 * y, -0.12),
        ], 0.021, 6))  # fmt: skip
        hoses.append(hose([(0.16, y, 0.37), (0.21, y, 0.395), (0.26, y, 0.37), (0.275, y, 0.30)], 0.021, 6))
    return joined(hoses)
