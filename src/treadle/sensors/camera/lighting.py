"""Lights of a picture: a sky, and lamps that may cast shadows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Light", "Lighting"]

Color = tuple[float, float, float]


class Light(NamedTuple):
    """A light: in a direction (pointing at it) if far away, or at a position (m) with a reach (m).

    A lamp at a position is half as bright at its reach as close by.
    """

    place: tuple[float, float, float]
    color: Color = (1.0, 1.0, 1.0)
    shadow: bool = True
    #: None: far away
    reach: float | None = None


@dataclass(frozen=True)
class Lighting:
    """Light from above and from below, lights, and the colours of the background; linear red, green, blue."""

    sky: Color = (0.42, 0.46, 0.52)
    ground: Color = (0.20, 0.19, 0.18)
    lights: tuple[Light, ...] = (Light((5.0, 3.0, 9.0), (0.75, 0.72, 0.66)),)
    horizon: Color = (0.72, 0.80, 0.88)
    zenith: Color = (0.25, 0.42, 0.70)

    @classmethod
    def daylight(cls) -> Lighting:
        """A clear sky and a sun with shadows."""
        return cls()

    @classmethod
    def indoors(cls, shadows: bool = False) -> Lighting:
        """Two lamps far to the front and the rear, as on the page, and a near one, which may cast shadows."""
        return cls(
            sky=(0.30, 0.30, 0.31),
            ground=(0.14, 0.13, 0.12),
            lights=(
                Light((5.0, 2.0, 4.0), (0.34, 0.33, 0.31), shadow=False),
                Light((-6.0, 3.0, 6.0), (0.34, 0.33, 0.31), shadow=False),
                Light((-3.0, -1.2, 4.2), (0.55, 0.52, 0.46), shadows, reach=6.0),
            ),
            horizon=(0.02, 0.02, 0.02),
            zenith=(0.02, 0.02, 0.02),
        )

    def table(self) -> np.ndarray:
        """Rows (lights, 8) for the kernel: reach (0: far away), place or unit direction, colour, shadow."""
        rows = np.zeros((len(self.lights), 8))
        for row, light in zip(rows, self.lights):
            place = np.array(light.place, dtype=float)
            row[0] = 0.0 if light.reach is None else light.reach
            row[1:4] = place / np.linalg.norm(place) if light.reach is None else place
            row[4:7], row[7] = light.color, float(light.shadow)
        return rows
