"""The supporting arm (boom with the cutter's motor) and the telescopic arm that slides in it.

The boom's origin is on the lifting axis, x along the boom; the telescope's is on the same line.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from treadle.scenes.roadheader.components.cylinder import eye_width
from treadle.scenes.roadheader.components.shape import (
    DARK,
    GREY,
    LIGHT,
    RUBBER,
    STEEL,
    YELLOW,
    Shape,
)
from treadle.scenes.roadheader.dimensions import (
    CYLINDERS,
    HEAD_MOUNT,
    MOTOR_RADIUS,
    SLEEVE_END,
    SLEEVE_RADIUS,
)
from treadle.scenes.roadheader.meshes import bolt_circle, box, cylinder, hose, lathe, lug, prism, rod, tube
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["supporting_arm", "telescopic_arm"]

_LIFT, _EXTEND = CYLINDERS[2], CYLINDERS[4]
_TUBE = 0.315


def supporting_arm() -> list[Shape]:
    """The boom."""
    return [
        Shape("fork", _fork(), YELLOW),
        Shape("pivot_pin", rod("y", 0.11, -0.87, 0.87, 18, 0.01), STEEL),
        Shape("motor", _motor(), YELLOW),
        Shape("flanges", joined([_flange(), _collar()]), DARK),
        Shape("junction_box", _junction_box(), GREY),
        Shape("sleeve", joined([_sleeve(), _extend_seat()]), YELLOW),
        Shape("sleeve_bolts", _sleeve_bolts(), STEEL),
        Shape("side_rails", _side_rails(), YELLOW),
        Shape("lifting_lugs", _lifting_lugs(), YELLOW),
        Shape("pins", _pins(), STEEL),
        Shape("spray_ring", _spray_ring(), STEEL),
        Shape("lamps", _lamps(), LIGHT),
        Shape("hoses", _hoses(), RUBBER),
    ]


def telescopic_arm() -> list[Shape]:
    """The sliding arm with the bearing of the head's shaft."""
    nose = lathe([
        (0.50, 0.34), (0.515, 0.405), (0.66, 0.405), (0.675, 0.375), (0.80, 0.36), (0.81, 0.30),
        (HEAD_MOUNT[0] - 0.004, 0.29),
    ], 24)  # fmt: skip
    keys = [box((0.82, 0.06, 0.12), (0.06, side * (_TUBE + 0.012), 0.0), 0.008) for side in (-1, 1)]
    x, _, z = _EXTEND.rod_pin
    plates = [lug(0.30, 0.085, 0.26, 0.038).upright().moved(x, y, z) for y in (-0.075, 0.075)]
    pin = rod("y", 0.045, -0.115, 0.115, 14, 0.006).moved(x, 0.0, z)
    bolts = bolt_circle(0.375, 8, 0.036, 0.018).moved(0.66)
    seal = lathe([(0.80, 0.335), (0.86, 0.335), (0.87, 0.315), (0.90, 0.315)], 20)
    return [
        Shape("tube", lathe([(-0.38, _TUBE - 0.02), (-0.36, _TUBE), (0.51, _TUBE)], 24), STEEL),
        Shape("keys", joined(keys), GREY),
        Shape("bearing_housing", nose, YELLOW),
        Shape("seal", joined([seal, bolts]), DARK),
        Shape("extend_lug", joined([*plates, pin]), YELLOW),
    ]


def _fork() -> Solid:
    """The block between the cheeks, round about the pivot."""
    arc = [(0.33 * cos(a), 0.33 * sin(a)) for a in np.linspace(pi / 2, 3 * pi / 2, 12)]
    body = prism([*arc, (0.36, -0.42), (0.54, -0.42), (0.54, 0.42), (0.36, 0.42)], -0.40, 0.40)
    # trunnions reach out to the cheeks, the lifting cylinders swing past under them
    hub = rod("y", 0.122, 0.39, 0.715, 18)
    ribs = [
        prism([(0.10, 0.335), (0.52, 0.43), (0.52, 0.49), (0.30, 0.47)], y - 0.025, y + 0.025)
        for y in (-0.3, 0.3)
    ]
    return joined([body, hub, hub.mirrored(), *ribs])


def _motor() -> Solid:
    """The cutter's motor: housing with cooling ribs all round."""
    start, end, root = 0.52, 1.38, MOTOR_RADIUS - 0.03
    profile = [(start, root)]
    for x in np.linspace(start + 0.06, end - 0.12, 6):
        profile += [(x, root), (x + 0.012, MOTOR_RADIUS), (x + 0.055, MOTOR_RADIUS), (x + 0.067, root)]
    return lathe([*profile, (end, root)], 20)


def _flange() -> Solid:
    ring = lathe([(1.37, MOTOR_RADIUS + 0.015), (1.44, MOTOR_RADIUS + 0.015), (1.45, MOTOR_RADIUS)], 24)
    return joined([ring, bolt_circle(MOTOR_RADIUS - 0.03, 10, 0.04, 0.02).turned("z", pi).moved(1.37)])


def _junction_box() -> Solid:
    """Flameproof terminal box on the motor with its cable entry."""
    body = box((0.34, 0.36, 0.17), (0.82, 0.0, 0.50), 0.02)
    lid = box((0.38, 0.40, 0.03), (0.82, 0.0, 0.60), 0.006)
    entry = cylinder(0.045, 0.53, 0.66, 10, 0.008).moved(0.0, 0.0, 0.50)
    corners = [(0.82 + 0.16 * i, 0.17 * j) for i in (-1, 0, 1) for j in (-1, 1)]
    bolts = [rod("z", 0.014, 0.61, 0.63, 6).moved(x, y) for x, y in corners]
    return joined([body, lid, entry, *bolts])


def _sleeve() -> Solid:
    """Gear housing, then the tube in which the telescope slides."""
    return lathe([
        (1.44, SLEEVE_RADIUS + 0.03), (1.50, SLEEVE_RADIUS + 0.03), (1.56, SLEEVE_RADIUS),
        (1.80, SLEEVE_RADIUS), (1.81, SLEEVE_RADIUS + 0.025), (1.87, SLEEVE_RADIUS + 0.025),
        (1.88, SLEEVE_RADIUS), (2.20, SLEEVE_RADIUS),
    ], 24)  # fmt: skip


def _sleeve_bolts() -> Solid:
    front = bolt_circle(SLEEVE_RADIUS + 0.002, 8, 0.036, 0.018)
    return joined([front.moved(1.87), bolt_circle(0.385, 8, 0.036, 0.018).moved(2.338)])


def _collar() -> Solid:
    return lathe([
        (2.19, SLEEVE_RADIUS + 0.02), (2.20, SLEEVE_RADIUS + 0.03),
        (SLEEVE_END - 0.015, SLEEVE_RADIUS + 0.03), (SLEEVE_END, SLEEVE_RADIUS + 0.01),
    ], 24)  # fmt: skip


def _side_rails() -> Solid:
    """Guard rails along both sides that keep falling rock off the flanges."""
    outline = [
        (0.40, -0.07), (0.52, -0.09), (1.46, -0.08), (1.54, -0.04), (1.54, 0.04), (1.46, 0.08),
        (0.52, 0.09), (0.40, 0.07),
    ]  # fmt: skip
    rail = prism(outline, MOTOR_RADIUS - 0.07, MOTOR_RADIUS + 0.022)
    return joined([rail, rail.mirrored()])


def _lifting_lugs() -> Solid:
    """A pair of plates on either side of each lifting rod's eye."""
    x, y, z = _LIFT.rod_pin
    gap = eye_width(_LIFT) / 2 + 0.045
    outline = [
        (x - 0.13, z - 0.02), (x - 0.06, z - 0.12), (x + 0.06, z - 0.12), (x + 0.13, z - 0.02),
        (x + 0.22, -0.20), (x + 0.22, -0.06), (x - 0.16, -0.06), (x - 0.20, -0.22),
    ]  # fmt: skip
    plates = [prism(outline, y + side * gap - 0.022, y + side * gap + 0.022) for side in (-1, 1)]
    arm = box((0.36, y + gap - 0.33, 0.15), (x + 0.03, (y + gap + 0.33) / 2, -0.155), 0.02)
    left = joined([*plates, arm])
    return joined([left, left.mirrored()])


def _extend_seat() -> Solid:
    """Ears of the telescope cylinder's barrel, and the guard walls on both sides of it."""
    x, _, z = _EXTEND.barrel_pin
    gap = eye_width(_EXTEND) / 2 + 0.03
    ears = [lug(0.20, 0.085, 0.26, 0.036).upright().moved(x, y, z) for y in (-gap, gap)]
    wall = [(1.44, 0.38), (2.30, 0.38), (2.30, 0.50), (2.22, 0.58), (1.60, 0.58), (1.44, 0.52)]
    walls = [prism(wall, y - 0.012, y + 0.012) for y in (-0.155, 0.155)]
    return joined([*ears, *walls])


def _pins() -> Solid:
    x, y, z = _LIFT.rod_pin
    lift = rod("y", 0.07, y - 0.155, y + 0.155, 16, 0.01).moved(x, 0.0, z)
    x, _, z = _EXTEND.barrel_pin
    return joined([lift, lift.mirrored(), rod("y", 0.045, -0.10, 0.10, 14, 0.006).moved(x, 0.0, z)])


def _spray_ring() -> Solid:
    """Water pipe round the collar with nozzles towards the head."""
    radius = SLEEVE_RADIUS + 0.042
    ring = tube(radius + 0.014, radius - 0.014, 2.235, 2.263, 20)
    angles = np.linspace(0.35, 2 * pi - 0.35, 9) + pi / 2
    nozzles = [cylinder(0.016, 2.263, 2.31, 6).moved(0.0, radius * cos(a), radius * sin(a)) for a in angles]
    return joined([ring, *nozzles])


def _lamps() -> Solid:
    lamp = lathe([(0.0, 0.045), (0.03, 0.062), (0.09, 0.062), (0.105, 0.05)], 14)
    return joined([lamp.moved(1.36, side * 0.30, 0.42) for side in (-1, 1)])


def _hoses() -> Solid:
    """Water to the spray ring (left), oil to the telescope cylinder (right), the cutter's supply cable."""
    hoses = []
    for y in (0.22, 0.25):
        along = [(0.9, 1.05 * y, 0.44), (1.42, y, 0.44), (1.9, y, 0.42), (2.12, y, 0.425), (2.22, y, 0.395)]
        hoses.append(hose([*_over_the_pivot(y), *along], 0.022, 6))
    for y in (-0.22, -0.25):
        along = [(0.85, 1.05 * y, 0.44), (1.20, 0.8 * y, 0.44), (1.34, 0.35 * y, 0.56)]
        hoses.append(hose([*_over_the_pivot(y), *along], 0.022, 6))
    cable = [(-0.16, 0.0, 0.28), (-0.05, 0.0, 0.40), (0.10, 0.0, 0.48), (0.35, 0.0, 0.51), (0.56, 0.0, 0.50)]
    clamps = [box((0.05, 0.10, 0.05), (x, side * 0.235, 0.44)) for x in (0.62, 1.05) for side in (-1, 1)]
    return joined([*hoses, hose(cable, 0.034, 8), *clamps])


def _over_the_pivot(y: float) -> list[tuple[float, float, float]]:
    """The first points of a hose, from behind the pivot to the motor."""
    return [
        (-0.14, 0.8 * y, 0.29), (-0.04, 0.85 * y, 0.38), (0.10, 0.9 * y, 0.45), (0.35, y, 0.47),
        (0.55, 1.05 * y, 0.45),
    ]  # fmt: skip
