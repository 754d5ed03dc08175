"""Visual shapes that machines on wheels share: wheels with cleats, and tubes between two points."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, atan2, cos, pi, sin, sqrt

import numpy as np

from treadle.model import ModelSpec, rpy

__all__ = ["add_tube", "add_wheel_looks"]

Color = tuple[float, float, float, float]

RUBBER: Color = (0.13, 0.13, 0.14, 1.0)
HUB: Color = (0.72, 0.73, 0.75, 1.0)


def add_wheel_looks(
    spec: ModelSpec,
    body: str,
    radius: float,
    width: float,
    cleats: int = 18,
    tyre: Color = RUBBER,
    hub: Color = HUB,
) -> None:
    """A wheel about the body's y axis: tyre, hub, and cleats across the tread that reach its radius."""
    height = 0.06 * radius
    lying = rpy(0.5 * pi, 0.0, 0.0)
    spec.add_shape(
        f"{body}_tyre", body, "cylinder", (radius - 0.5 * height, width), rotation=lying, color=tyre
    )
    spec.add_shape(f"{body}_hub", body, "cylinder", (0.55 * radius, 1.04 * width), rotation=lying, color=hub)
    for k in range(cleats):
        angle = 2.0 * pi * k / cleats
        away = radius - 0.5 * height
        spec.add_shape(
            f"{body}_cleat_{k}",
            body,
            "box",
            (0.12 * radius, 0.98 * width, height),
            position=(away * sin(angle), 0.0, away * cos(angle)),
            rotation=rpy(0.0, angle, 0.0),
            color=tyre,
        )


def add_tube(
    spec: ModelSpec,
    name: str,
    body: str,
    start: Sequence[float] | np.ndarray,
    end: Sequence[float] | np.ndarray,
    radius: float,
    color: Color,
) -> None:
    """A round bar from one point of a body to another."""
    way = [b - a for a, b in zip(start, end, strict=True)]
    length = sqrt(sum(x * x for x in way))
    middle = [0.5 * (a + b) for a, b in zip(start, end, strict=True)]
    turned = rpy(0.0, acos(way[2] / length), atan2(way[1], way[0]))
    spec.add_shape(name, body, "cylinder", (radius, length), position=middle, rotation=turned, color=color)
