"""What the planar linkages are drawn with: flat bars and pins, in the x-z plane of their bodies."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, hypot, pi

from treadle.model import ModelSpec, rpy

__all__ = ["ACROSS", "BLUE", "DARK", "GLASS", "GREEN", "GREY", "HINGE", "ORANGE", "RED", "STEEL", "add_bar",
           "add_pin"]  # fmt: skip

#: Colours: red, green, blue, alpha.
ORANGE, BLUE, GREEN, RED, STEEL, GREY, DARK, GLASS = (
    (0.95, 0.60, 0.10, 1.0), (0.20, 0.44, 0.70, 1.0), (0.30, 0.58, 0.36, 1.0), (0.78, 0.24, 0.20, 1.0),
    (0.72, 0.74, 0.77, 1.0), (0.50, 0.53, 0.56, 1.0), (0.20, 0.21, 0.23, 1.0), (0.60, 0.75, 0.85, 0.25),
)  # fmt: skip

#: Options of a hinge of such a linkage: a positive angle turns z towards x.
HINGE = {"axis": (0.0, 1.0, 0.0)}
#: Turns the axis of a cylinder from z into the line of sight.
ACROSS = rpy(pi / 2, 0.0, 0.0)


def add_bar(
    spec: ModelSpec,
    body: str | None,
    start: Sequence[float],
    end: Sequence[float],
    width: float,
    layer: float = 0.0,
    color: Sequence[float] = ORANGE,
) -> None:
    """A flat bar with round ends between two points (x, z) of a body, a quarter as thick as wide.

    `layer` says how many thicknesses it lies in front of the plane (at y > 0), so that bars pass each other.
    """
    (x, z), (dx, dz) = start, (end[0] - start[0], end[1] - start[1])
    thickness = width / 4
    y = layer * thickness
    name = f"{body or 'world'}_bar{len(spec.shapes)}"
    spec.add_shape(
        name, body, "box", (hypot(dx, dz), thickness, width),
        position=(x + dx / 2, y, z + dz / 2), rotation=rpy(0.0, -atan2(dz, dx), 0.0), color=color,
    )  # fmt: skip
    for number, (px, pz) in enumerate((start, end)):
        spec.add_shape(
            f"{name}_end{number}", body, "cylinder", (width / 2, thickness),
            position=(px, y, pz), rotation=ACROSS, color=color,
        )  # fmt: skip


def add_pin(
    spec: ModelSpec,
    body: str | None,
    place: Sequence[float],
    radius: float,
    layers: tuple[float, float],
    thickness: float,
    color: Sequence[float] = DARK,
) -> None:
    """A pin across the plane at a point (x, z) of a body, from one layer of bars to another."""
    first, last = layers
    length = (abs(last - first) + 1.6) * thickness
    spec.add_shape(
        f"{body or 'world'}_pin{len(spec.shapes)}", body, "cylinder", (radius, length),
        position=(place[0], (first + last) / 2 * thickness, place[1]), rotation=ACROSS, color=color,
    )  # fmt: skip
