"""Cutting forces of conical (point-attack) picks in rock: Evans, Goktan, Roxborough and Liu.

All three give the peak force of a sharp pick as a coefficient times the square of the chip depth, F = c d^2:

    Evans (1984)               c = 16 pi st^2 / (sc cos(a)^2)
    Goktan (1997)              c = 4 pi st sin(a + f)^2 / cos(a + f)
    Roxborough and Liu (1995)  c = 16 pi sc st^2 / (2 st + sc cos(a) (1 + tan(f)) / tan(a))^2

with the strengths sc in compression and st in tension (Pa), half the tip's angle a, and the angle of friction
f between pick and rock (rad); d in m, F in N. Evans' law is derived, and all three are cited, in
docs/theory/rock-cutting.md. The force falls whenever a chip breaks off: its mean is taken as a third of the
peak.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, radians, sin, tan

from treadle.errors import InputError
from treadle.model.values import real_numbers

__all__ = ["PICK_LAWS", "Pick", "Rock", "force_coefficient"]


@dataclass(frozen=True)
class Rock:
    """Strengths in compression and tension (Pa), density (kg/m3), angle of friction on steel (rad)."""

    compressive: float = 40e6
    tensile: float = 2.5e6
    density: float = 2500.0
    friction_angle: float = radians(15.0)

    def __post_init__(self) -> None:
        real_numbers("Rock", **vars(self))
        if min(self.compressive, self.tensile, self.density) <= 0.0 or self.friction_angle < 0.0:
            raise InputError("Rock: strengths and density must be positive, the friction angle not negative")


@dataclass(frozen=True)
class Pick:
    """A conical pick.

    `half_angle` (rad) of its tip; `law`, one of `PICK_LAWS`; `mean` force as a share of the peak; `normal`
    force, which pushes the pick out of the rock, as a share of the cutting force; `reach` (m): it cuts no
    deeper than this, what is behind it is its holder.
    """

    half_angle: float = radians(37.5)
    law: str = "evans"
    mean: float = 1.0 / 3.0
    normal: float = 0.8
    reach: float = 0.12

    def __post_init__(self) -> None:
        numbers = {name: x for name, x in vars(self).items() if name != "law"}
        real_numbers("Pick", **numbers)
        if self.law not in PICK_LAWS:
            raise InputError(f"Pick: there is no law {self.law!r}; choose one of {', '.join(PICK_LAWS)}")
        if not 0.0 < self.half_angle < 0.5 * pi or min(self.mean, self.reach) <= 0.0 or self.normal < 0.0:
            raise InputError("Pick: the half angle must be between 0 and pi/2, mean and reach positive")


def force_coefficient(rock: Rock, pick: Pick) -> float:
    """Mean cutting force per squared chip depth (N/m2)."""
    return pick.mean * PICK_LAWS[pick.law](rock, pick.half_angle)


def _evans(rock: Rock, a: float) -> float:
    return 16.0 * pi * rock.tensile**2 / (rock.compressive * cos(a) ** 2)


def _goktan(rock: Rock, a: float) -> float:
    angle = a + rock.friction_angle
    if angle >= 0.5 * pi:
        raise InputError("Goktan's law needs a half angle and a friction angle that are below pi/2 together")
    return 4.0 * pi * rock.tensile * sin(angle) ** 2 / cos(angle)


def _roxborough_liu(rock: Rock, a: float) -> float:
    resisted = 2.0 * rock.tensile + rock.compressive * cos(a) * (1.0 + tan(rock.friction_angle)) / tan(a)
    return 16.0 * pi * rock.compressive * rock.tensile**2 / resisted**2


#: Peak force per squared chip depth (N/m2) of a rock and half the tip's angle (rad).
PICK_LAWS: dict[str, Callable[[Rock, float], float]] = {
    "evans": _evans,
    "goktan": _goktan,
    "roxborough-liu": _roxborough_liu,
}
