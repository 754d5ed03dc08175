"""A compliant grinding pad: its pressure as a function of how far the workpiece goes into its free shape."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

from treadle.errors import InputError
from treadle.model.values import real_numbers

__all__ = ["Pad"]


@dataclass(frozen=True)
class Pad:
    """A domed disc: pressure p = coefficient g^exponent where the workpiece goes in by g (Pa, m).

    `radius` (m) is that of the disc, `dome` (m) that of its face. Of an approach d of pad and workpiece, the
    free shape goes in by `share` d. `Pad.foundation` and `Pad.hertz` make the two laws.
    """

    coefficient: float
    exponent: float
    share: float
    radius: float
    dome: float

    @classmethod
    def foundation(cls, modulus: float, radius: float, dome: float) -> Pad:
        """An elastic foundation of small springs: p = modulus g, with the modulus in Pa/m."""
        return cls(coefficient=modulus, exponent=1.0, share=1.0, radius=radius, dome=dome)

    @classmethod
    def hertz(
        cls, young: float, radius: float, dome: float, poisson: float = 0.45, workpiece_curvature: float = 0.0
    ) -> Pad:
        """An elastic half-space after Hertz, of Young's modulus (Pa) and Poisson's ratio, on hard workpieces.

        p = (2 E*/pi) sqrt(2 c g) with g at half of the approach is Hertz's pressure of a sphere on a sphere
        or plane, and close to it on other smooth surfaces; c is 1/dome and the workpiece's mean curvature
        (1/m, positive where it is convex).
        """
        modulus = young / (1.0 - poisson**2)
        return cls(
            coefficient=2.0 * modulus / pi * sqrt(2.0 * (1.0 / dome + workpiece_curvature)),
            exponent=0.5,
            share=0.5,
            radius=radius,
            dome=dome,
        )

    def __post_init__(self) -> None:
        real_numbers("Pad", **vars(self))
        if min(vars(self).values()) <= 0.0:
            raise InputError("Pad: all of its numbers must be positive")

    def approach(self, force: float) -> float:
        """The approach (m) at which it presses onto a plane with a force (N), as long as its dome bends in.

        With c = coefficient and m = exponent, F = 2 pi c R (share d)^(m + 1) / (m + 1).
        """
        if not force >= 0.0:
            raise InputError("Pad.approach: the force must not be negative")
        m = self.exponent
        return (force * (m + 1.0) / (2.0 * pi * self.coefficient * self.dome)) ** (
            1.0 / (m + 1.0)
        ) / self.share

    def stiffness(self, force: float) -> float:
        """dF/dd (N/m) on a plane at a force (N)."""
        return (self.exponent + 1.0) * force / self.approach(force)
