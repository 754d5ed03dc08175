"""A coloured rigid part, and the paints of the machine."""

from __future__ import annotations

from typing import NamedTuple

from treadle.scenes.roadheader.solid import Solid

__all__ = [
    "BLACK", "CHROME", "DARK", "GLASS", "GREY", "IRON", "LIGHT", "ORANGE", "RED", "RUBBER", "STEEL", "WHITE",
    "WORN", "YELLOW", "Color", "Shape", "mirrored",
]  # fmt: skip

Color = tuple[float, float, float, float]

YELLOW: Color = (0.95, 0.68, 0.08, 1.0)
ORANGE: Color = (0.88, 0.42, 0.06, 1.0)
DARK: Color = (0.20, 0.21, 0.23, 1.0)
GREY: Color = (0.46, 0.48, 0.50, 1.0)
IRON: Color = (0.30, 0.29, 0.28, 1.0)
STEEL: Color = (0.66, 0.67, 0.69, 1.0)
WORN: Color = (0.50, 0.47, 0.43, 1.0)
CHROME: Color = (0.86, 0.88, 0.90, 1.0)
BLACK: Color = (0.07, 0.07, 0.08, 1.0)
RUBBER: Color = (0.11, 0.11, 0.12, 1.0)
RED: Color = (0.80, 0.09, 0.07, 1.0)
WHITE: Color = (0.92, 0.92, 0.90, 1.0)
LIGHT: Color = (1.00, 0.95, 0.72, 1.0)
GLASS: Color = (0.60, 0.78, 0.85, 0.35)


class Shape(NamedTuple):
    """A rigid part of a component: its name within it, its solid in the component's frame, its colour."""

    name: str
    solid: Solid
    color: Color


def mirrored(shapes: list[Shape]) -> list[Shape]:
    """The parts of the twin on the other side of the machine."""
    return [Shape(shape.name, shape.solid.mirrored(), shape.color) for shape in shapes]
