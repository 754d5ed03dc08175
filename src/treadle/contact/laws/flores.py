"""Hunt and Crossley's form with c = 8/5 (1 - e) / e, for all restitutions. Flores and others (2011)."""

from __future__ import annotations

from treadle.contact.laws.hunt_crossley import damped
from treadle.contact.laws.law import Touch
from treadle.graph import Scalar, maximum

__all__ = ["LEAST", "flores"]

#: Restitution that smaller ones count as, where a law divides by it.
LEAST = 0.01


def flores(touch: Touch) -> Scalar:
    """For soft bodies as well as hard ones."""
    e = maximum(touch.restitution, LEAST)
    return damped(touch, 1.6 * (1.0 - e) / e)
