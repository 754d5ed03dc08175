"""Hunt and Crossley's form, its damping from the energy lost: c = 3/4 (1 - e^2). Lankarani, Nikravesh (1990).

The loss m v0^2 (1 - e^2) / 2 is set equal to the work of the damping on the path of the elastic impact, so
that it too holds for restitutions near one.
"""

from __future__ import annotations

from treadle.contact.laws.hunt_crossley import damped
from treadle.contact.laws.law import Touch
from treadle.graph import Scalar

__all__ = ["lankarani_nikravesh"]


def lankarani_nikravesh(touch: Touch) -> Scalar:
    """For bodies that lose little."""
    return damped(touch, 0.75 * (1.0 - touch.restitution * touch.restitution))
