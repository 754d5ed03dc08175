"""What stands on the decks: oil tank on the left, pump and electrical box on the right, covers between."""

from __future__ import annotations

import numpy as np

from treadle.scenes.roadheader.components.shape import (
    BLACK,
    DARK,
    GLASS,
    GREY,
    LIGHT,
    RED,
    RUBBER,
    STEEL,
    WHITE,
    YELLOW,
    Shape,
)
from treadle.scenes.roadheader.meshes import (
    bolt_circle,
    box,
    cylinder,
    hose,
    lathe,
    prism,
    rod,
    round_bar,
    tube,
)
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["deck_shapes"]

_TOP = 0.965


def deck_shapes() -> list[Shape]:
    """Machinery, boxes, pipes and lamps."""
    return [
        Shape("middle_cover", _middle_cover(), YELLOW),
        Shape("cover_lids", _cover_lids(), DARK),
        Shape("valve_bank", _valve_bank(), BLACK),
        Shape("oil_tank", _oil_tank(), YELLOW),
        Shape("oil_tank_fittings", _tank_fittings(), DARK),
        Shape("pump_motor", _pump_motor(), GREY),
        Shape("pumps", _pumps(), DARK),
        Shape("pump_frame", _pump_frame(), YELLOW),
        Shape("electrical_box", _electrical_box(), GREY),
        Shape("electrical_doors", joined([_electrical_doors(), _electrical_bolts()]), WHITE),
        Shape("gauges", _gauges(), GLASS),
        Shape("warning_signs", _warning_signs(), RED),
        Shape("cable_glands", _cable_glands(), BLACK),
        Shape("hoses", _hoses(), RUBBER),
        Shape("water_filter", _water_filter(), STEEL),
        Shape("headlamps", _headlamps(), DARK),
        Shape("headlamp_glasses", _headlamp_glasses(), LIGHT),
        Shape("lifting_eyes", _lifting_eyes(), RED),
    ]


def _middle_cover() -> Solid:
    """Hood over the conveyor's middle, between the slewing cylinders."""
    outline = [(-2.10, 0.90), (-0.20, 0.90), (-0.20, 1.06), (-0.42, 1.30), (-1.95, 1.30), (-2.10, 1.18)]
    return prism(outline, -0.47, 0.47)


def _cover_lids() -> Solid:
    lids = [box((0.46, 0.78, 0.025), (x, 0.0, 1.312), 0.008) for x in (-0.72, -1.24, -1.76)]
    grips = [
        tube(0.05, 0.036, -0.01, 0.01, 6).across().moved(x, y, 1.325)
        for x in (-0.72, -1.24, -1.76)
        for y in (-0.28, 0.28)
    ]
    return joined([*lids, *grips])


def _valve_bank() -> Solid:
    """Control valves behind the tank, with their spools."""
    body = box((0.62, 0.24, 0.20), (-2.0 + 0.02, 0.74, _TOP + 0.12), 0.012).moved(z=0.0)
    spools = [
        rod("z", 0.022, _TOP + 0.22, _TOP + 0.30, 6).moved(x, 0.74) for x in np.linspace(-2.23, -1.75, 7)
    ]
    ends = [rod("y", 0.03, 0.60, 0.88, 6).moved(x, 0.0, _TOP + 0.10) for x in np.linspace(-2.23, -1.75, 7)]
    return joined([body, *spools, *ends])


def _oil_tank() -> Solid:
    body = box((1.62, 0.42, 0.56), (-0.78, 1.115, _TOP + 0.285), 0.035)
    ribs = [box((0.04, 0.025, 0.48), (x, 1.33, _TOP + 0.285)) for x in (-1.36, -0.96, -0.20)]
    return joined([body, *ribs])


def _tank_fittings() -> Solid:
    top = _TOP + 0.565
    cap = lathe([(0.0, 0.075), (0.05, 0.075), (0.06, 0.06), (0.085, 0.06)], 12).upright()
    breather = lathe([(0.0, 0.03), (0.05, 0.03), (0.055, 0.055), (0.12, 0.055), (0.14, 0.03)], 10).upright()
    lid = joined(
        [lathe([(0.0, 0.15), (0.02, 0.15)], 16), bolt_circle(0.125, 6, 0.026, 0.014).moved(0.02)]
    ).upright()
    return joined(
        [cap.moved(-0.25, 1.10, top), breather.moved(-0.48, 1.18, top), lid.moved(-1.15, 1.12, top)]
    )


def _pump_motor() -> Solid:
    """Electric motor with cooling ribs, its axis along the machine."""
    profile = [(-1.58, 0.12), (-1.56, 0.205), (-1.46, 0.205)]
    for x in np.linspace(-1.42, -0.88, 5):
        profile += [(x, 0.19), (x + 0.012, 0.225), (x + 0.05, 0.225), (x + 0.062, 0.19)]
    profile += [(-0.78, 0.19), (-0.77, 0.235), (-0.72, 0.235)]
    body = lathe(profile, 16).moved(0.0, -1.10, _TOP + 0.27)
    terminal = box((0.26, 0.22, 0.12), (-1.15, -1.10, _TOP + 0.53), 0.015)
    feet = [box((0.12, 0.40, 0.08), (x, -1.10, _TOP + 0.04), 0.01) for x in (-1.40, -0.86)]
    return joined([body, terminal, *feet])


def _pumps() -> Solid:
    """Gear splitter and two pumps in front of the motor."""
    bell = lathe([(-0.72, 0.20), (-0.66, 0.15), (-0.58, 0.15), (-0.57, 0.21), (-0.44, 0.21)], 16).moved(
        0.0, -1.10, _TOP + 0.27
    )
    pump = lathe([(-0.44, 0.085), (-0.30, 0.095), (-0.14, 0.095), (-0.12, 0.07), (-0.06, 0.07)], 12)
    bolts = bolt_circle(0.18, 8, 0.03, 0.016).moved(-0.44, -1.10, _TOP + 0.27)
    return joined([bell, bolts, *[pump.moved(0.0, -1.10 + side * 0.10, _TOP + 0.27) for side in (-1, 1)]])


def _pump_frame() -> Solid:
    """Tubular guard and base plate of the pump unit."""
    base = box((1.66, 0.46, 0.03), (-0.80, -1.10, _TOP + 0.012), 0.006)
    low, high = _TOP + 0.02, _TOP + 0.60
    hoop = [
        (0.0, low), (0.0, high - 0.10), (-0.08, high), (-0.78, high), (-1.52, high), (-1.60, high - 0.10),
        (-1.60, low),
    ]  # fmt: skip
    bars = [hose([(x, y, z) for x, z in hoop], 0.022, 8) for y in (-0.895, -1.315)]
    bars += [round_bar((x, -0.895, high), (x, -1.315, high), 0.018, 8) for x in (-0.12, -0.55, -0.98, -1.41)]
    return joined([base, *bars])


def _electrical_box() -> Solid:
    """Flameproof enclosure with its cooling ribs on top."""
    body = box((1.46, 0.60, 0.66), (-2.48, -1.03, _TOP + 0.335), 0.02)
    ribs = [box((1.30, 0.018, 0.045), (-2.48, y, _TOP + 0.685)) for y in np.linspace(-1.26, -0.80, 8)]
    return joined([body, *ribs])


def _electrical_doors() -> Solid:
    return joined([box((0.64, 0.03, 0.54), (x, -1.345, _TOP + 0.335), 0.008) for x in (-2.82, -2.13)])


def _electrical_bolts() -> Solid:
    heads = []
    for middle in (-2.82, -2.13):
        for i in range(4):
            heads += [(middle - 0.285 + 0.19 * i, _TOP + 0.335 + side * 0.235) for side in (-1, 1)]
    return joined([rod("y", 0.014, -1.378, -1.355, 6).moved(x, 0.0, z) for x, z in heads])


def _gauges() -> Solid:
    """Window of the electrical box and the tank's oil gauge."""
    window = box((0.26, 0.012, 0.16), (-2.13, -1.362, _TOP + 0.42), 0.003)
    return joined([window, box((0.07, 0.02, 0.26), (-0.55, 1.337, 1.24), 0.004)])


def _warning_signs() -> Solid:
    """Red plates on the doors and the stop buttons on both sides."""
    plate = box((0.18, 0.010, 0.10), (-2.82, -1.362, _TOP + 0.44), 0.003)
    button = lathe([(0.0, 0.022), (0.02, 0.022), (0.025, 0.045), (0.05, 0.045), (0.06, 0.02)], 12).across()
    return joined(
        [plate, button.moved(0.0, 1.335, _TOP + 0.46), button.mirrored().moved(-1.70, -1.335, _TOP + 0.50)]
    )


def _cable_glands() -> Solid:
    """Cable entries at the back of the electrical box, with the trailing cable."""
    glands = [
        cylinder(0.04, -3.32, -3.20, 8).moved(0.0, y, _TOP + z)
        for y in (-0.85, -1.03, -1.21)
        for z in (0.20, 0.42)
    ]
    cable = [
        (-3.30, -1.03, _TOP + 0.20), (-3.44, -1.03, _TOP + 0.19), (-3.52, -1.0, _TOP + 0.08),
        (-3.46, -0.90, 0.90), (-3.36, -0.72, 0.86),
    ]  # fmt: skip
    return joined([*glands, hose(cable, 0.03, 8)])


def _hoses() -> Solid:
    """From pumps and tank under the hood's front towards the slewing ring, and along the deck."""
    hoses = []
    for k in range(4):
        y = -1.0 - 0.06 * k
        hoses.append(hose([
            (-0.10, y, _TOP + 0.27), (0.02, y, _TOP + 0.27), (0.09, y + 0.06, _TOP + 0.22),
            (0.10, y + 0.16, _TOP + 0.10), (0.02, y + 0.30, _TOP + 0.05),
            (-0.14, -0.54 - 0.04 * k, _TOP + 0.05), (-0.30, -0.46, _TOP + 0.07 + 0.03 * k),
        ], 0.024, 6))  # fmt: skip
    for k in range(3):
        z = _TOP + 0.10 + 0.06 * k
        hoses.append(hose([
            (0.0, 1.05 + 0.05 * k, z), (0.08, 1.0, z), (0.10, 0.86, z - 0.03), (0.02, 0.68, _TOP + 0.06),
            (-0.14, 0.54, _TOP + 0.05), (-0.30, 0.46, _TOP + 0.07 + 0.03 * k),
        ], 0.024, 6))  # fmt: skip
    for k in range(5):
        y = 0.50 + 0.035 * k
        hoses.append(hose([
            (-0.52, 0.46, _TOP + 0.10), (-0.62, y - 0.02, _TOP + 0.05), (-0.9, y, _TOP + 0.03),
            (-1.5, y + 0.02, _TOP + 0.03), (-1.66, 0.60 + 0.02 * k, _TOP + 0.06),
            (-1.78, 0.66 + 0.02 * k, _TOP + 0.10),
        ], 0.017, 6))  # fmt: skip
    return joined(hoses)


def _water_filter() -> Solid:
    """Two filters of the spray water, in front of the electrical box."""
    filter_ = lathe(
        [(0.0, 0.05), (0.03, 0.075), (0.36, 0.075), (0.38, 0.09), (0.44, 0.09), (0.47, 0.04)], 12
    ).upright()
    return joined([filter_.moved(-1.68, y, _TOP) for y in (-0.78, -0.60)])


def _lamp_places() -> list[tuple[float, float]]:
    return [(0.08, side * 1.18) for side in (-1, 1)]


def _headlamps() -> Solid:
    """Lamp housings on short posts at the front corners of the decks."""
    lamp = lathe([(-0.10, 0.05), (-0.06, 0.08), (0.06, 0.09), (0.075, 0.09)], 16)
    return joined(
        [
            lamp.moved(x + 0.10, y, _TOP + 0.36) + rod("z", 0.025, _TOP, _TOP + 0.30, 8).moved(x + 0.10, y)
            for x, y in _lamp_places()
        ]
    )


def _headlamp_glasses() -> Solid:
    glass = lathe([(0.07, 0.078), (0.082, 0.07), (0.09, 0.0)], 16)
    return joined([glass.moved(x + 0.10, y, _TOP + 0.36) for x, y in _lamp_places()])


def _lifting_eyes() -> Solid:
    eye = tube(0.075, 0.04, -0.018, 0.018, 10).across()
    corners = [(x, side * 1.26) for x in (0.22, -3.22) for side in (-1, 1)]
    return joined([eye.moved(x, y, _TOP + 0.05) for x, y in corners])
