"""A hydraulic cylinder: barrel from its pin along x, piston rod back from its own pin along -x."""

from __future__ import annotations

from math import pi

from treadle.scenes.roadheader.components.shape import CHROME, DARK, ORANGE, STEEL, Shape
from treadle.scenes.roadheader.dimensions import Cylinder
from treadle.scenes.roadheader.meshes import box, cylinder, lathe, tube
from treadle.scenes.roadheader.solid import Solid, joined

__all__ = ["barrel", "eye_radius", "eye_width", "piston_rod"]

#: what these cylinders swing past lies above them
_PORTS_BELOW = ("lift", "shovel")


def eye_radius(spec: Cylinder) -> float:
    """Outer radius of the eyes at both ends (m)."""
    return 0.54 * spec.outside


def eye_width(spec: Cylinder) -> float:
    """Width of the eyes along their pins (m)."""
    return 0.50 * spec.outside


def barrel(spec: Cylinder) -> list[Shape]:
    """Parts of the barrel; it ends short of the rod's eye when the cylinder is closed."""
    eye, radius = eye_radius(spec), spec.outside / 2
    mouth = spec.closed - eye - 0.035
    tube_start = 0.75 * eye
    gland = 0.45 * spec.bore
    shell = lathe([
        (tube_start, 0.55 * radius), (tube_start + 0.30 * radius, 0.95 * radius),
        (tube_start + 0.42 * radius, radius), (mouth - gland, radius),
    ], 18)  # fmt: skip
    head = lathe([
        (mouth - gland, 1.13 * radius), (mouth - 0.25 * gland, 1.13 * radius),
        (mouth - 0.20 * gland, 0.95 * radius), (mouth, 0.80 * radius),
    ], 18)  # fmt: skip
    # oil ports at both ends and the pipe that leads the rod side's oil back to the base
    low, high = tube_start + 0.9 * radius, mouth - gland - 0.4 * radius
    size = 0.34 * radius
    side = -1 if spec.joint in _PORTS_BELOW else 1
    ports = [box((size, size, 0.5 * radius), (x, 0.0, side * 1.08 * radius)) for x in (low, high)]
    pipe = cylinder(0.11 * radius, low + 0.4 * size, high, 6).moved(z=side * 1.22 * radius)
    return [
        Shape("tube", joined([shell, _eye(spec)]), ORANGE),
        Shape("gland", joined([head, *ports, pipe]), DARK),
    ]


def piston_rod(spec: Cylinder) -> list[Shape]:
    """Parts of the rod; at full stroke a bore's length of it is left in the barrel."""
    eye, radius = eye_radius(spec), spec.rod / 2
    inside = 0.75 * eye + 0.55 * spec.outside
    start = -(spec.closed - inside)
    piston = spec.bore / 2 - 0.002
    bar = lathe([
        (start, piston), (start + 0.4 * spec.bore, piston), (start + 0.4 * spec.bore + 0.01, radius),
        (-0.95 * eye, radius), (-0.85 * eye, 0.85 * radius),
    ], 14)  # fmt: skip
    neck = lathe(
        [(-1.30 * eye, 1.05 * radius), (-1.20 * eye, 1.15 * radius), (-0.6 * eye, 1.15 * radius)], 12
    )
    return [Shape("rod", bar, CHROME), Shape("eye", joined([_eye(spec), neck]), STEEL)]


def _eye(spec: Cylinder) -> Solid:
    """The eye about the pin, with its spherical bearing and the pin in it."""
    eye, width = eye_radius(spec), eye_width(spec)
    ring = tube(eye, 0.55 * eye, -width / 2, width / 2, 14)
    bearing = lathe([(-0.62 * width, 0.50 * eye), (0.62 * width, 0.50 * eye)], 14)
    return joined([ring, bearing]).turned(*{"y": ("z", pi / 2), "z": ("y", -pi / 2)}[spec.pin_axis])
