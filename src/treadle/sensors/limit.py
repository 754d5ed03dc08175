"""What sensors of limits share, of joints and of tendons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from treadle.graph import Scalar, where
from treadle.sensors.kind import Channel, Option

__all__ = ["LIMIT", "beyond_limit", "limit_channel"]

#: Parameters of sensors of limits.
LIMIT = {
    "quantity": Option("distance", "choice", "what it gives", ("distance", "velocity", "force")),
    "margin": Option(0.0, "magnitude", "distance from a limit at which it begins to feel it (rad, m)"),
}


def limit_channel(quantity: str, units: tuple[str, str, str]) -> Channel:
    """The channel of a quantity, from the units of position, velocity and force."""
    return Channel(quantity, units[("distance", "velocity", "force").index(quantity)])


def beyond_limit(
    state: tuple[Scalar, Scalar], ends: tuple[float, float], parameters: Mapping[str, Any]
) -> Scalar:
    """Distance or velocity of a coordinate and its rate at the end of a range; the lower end goes first."""
    (x, rate), (lower, upper), margin = state, ends, parameters["margin"]
    value: Scalar = 0.0
    for distance, speed, end in ((upper - x, -rate, upper), (x - lower, rate, lower)):
        if math.isfinite(end):
            shown = distance - margin if parameters["quantity"] == "distance" else speed
            value = where(distance < margin, shown, value)
    return value
