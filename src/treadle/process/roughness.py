"""Roughness of a ground surface over the work that was done on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

from treadle.errors import InputError
from treadle.model.values import real_numbers

__all__ = ["Roughness"]


@dataclass(frozen=True)
class Roughness:
    """Ra over the specific work w, the integral of p v dt (J/m2): Ra = floor + (fresh - floor) e^(-w / work).

    Every grain cuts off a share of the peaks that are left; `floor` is what the grit itself leaves behind.
    """

    fresh: float
    floor: float
    work: float

    @classmethod
    def calibrated(cls, fresh: float, ground: float, specific_work: float, floor: float) -> Roughness:
        """From one measured surface: Ra before and after specific work (J/m2), and the grit's floor."""
        real_numbers("Roughness", fresh=fresh, ground=ground, specific_work=specific_work, floor=floor)
        if not 0.0 <= floor < ground < fresh or specific_work <= 0.0:
            raise InputError("Roughness: floor < ground < fresh is needed, and a positive specific work")
        return cls(fresh, floor, specific_work / log((fresh - floor) / (ground - floor)))

    def after(self, pressure: float, speed: float, seconds: float, passes: int = 1) -> float:
        """Ra after passes that each press with a mean pressure (Pa) at a speed (m/s) for a time (s)."""
        return self.floor + (self.fresh - self.floor) * exp(-passes * pressure * speed * seconds / self.work)
