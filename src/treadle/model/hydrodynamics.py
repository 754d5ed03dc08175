"""Fluids around a machine, and the added mass of bodies in them.

A fluid that moves with a body adds to its inertia. For an ellipsoid with half axes a, b, c in an ideal fluid
of density rho, with m = rho V and alpha_1 = a b c int_0^inf dx / ((a^2 + x) S), and so on, with
S = sqrt((a^2 + x)(b^2 + x)(c^2 + x)), it adds along and about its first axis (Lamb 1932, articles 114, 115)

    m alpha_1 / (2 - alpha_1),
    m/5 (b^2 - c^2)^2 (alpha_3 - alpha_2) / (2 (b^2 - c^2) + (b^2 + c^2)(alpha_2 - alpha_3))
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.errors import InputError
from treadle.model.elements import ElementSpec
from treadle.model.flow import flow, mesh_volume, profile
from treadle.model.values import number, plain_json, vector
from treadle.numerics.elliptic import carlson_rd

if TYPE_CHECKING:
    from treadle.model.model import Model
    from treadle.model.spec import ModelSpec

__all__ = [
    "Fluid", "added_mass", "ellipsoid_added_mass", "fluid_parameters", "hull_parameters", "hull_volume",
    "irregular_waves", "the_fluid",
]  # fmt: skip


@dataclass(frozen=True)
class Fluid:
    """A fluid: density (kg/m3), viscosity (Pa s), current (m/s, world axes), height of a surface (m), waves.

    Each part of the current is a number, or a formula (text) over x, y, z (m) and t (s); or `current` is a
    function of these that returns three of them, which is traced. A `profile` over the height adds to it:
    rows of height (m) and velocity along x, y, z (m/s), linear between them and constant beyond.

    Each of the waves has an amplitude (m), a frequency (rad/s), a direction (rad, from x towards y) and a
    phase (rad); `irregular_waves` makes those of a sea.
    """

    density: float = 1000.0
    viscosity: float = 0.0
    current: Any = (0.0, 0.0, 0.0)
    surface: float | None = None
    waves: tuple[tuple[float, float, float, float], ...] = ()
    profile: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "density", number(self.density))
            object.__setattr__(self, "viscosity", number(self.viscosity))
            object.__setattr__(self, "current", flow(self.current))
            object.__setattr__(self, "profile", profile(self.profile))
            if self.surface is not None:
                object.__setattr__(self, "surface", number(self.surface))
            waves = tuple(tuple(vector(wave, 4).tolist()) for wave in self.waves)
            object.__setattr__(self, "waves", waves)
        except ValueError as error:
            raise InputError(f"a fluid {error}") from None
        if self.density < 0.0 or self.viscosity < 0.0:
            raise InputError("density and viscosity of a fluid must not be negative")
        if self.waves and self.surface is None:
            raise InputError("waves need a surface: give the fluid the height of its mean surface")

    @classmethod
    def of(cls, settings: Any) -> Fluid:
        """From the setting `fluid` of a description: a table of its fields."""
        known = [item.name for item in fields(cls)]
        if not isinstance(settings, dict) or any(name not in known for name in settings):
            raise InputError(f"the setting 'fluid' needs a table of {', '.join(known)}, not {settings!r}")
        return cls(**settings)

    def surround(self, spec: ModelSpec) -> None:
        """Put a machine into this fluid (the setting `fluid`), which its hulls are in."""
        spec.settings["fluid"] = self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """The same as a setting."""
        found: dict[str, Any] = {
            "density": self.density,
            "viscosity": self.viscosity,
            "current": list(self.current),
        }
        if self.surface is not None:
            found["surface"] = self.surface
        for name in ("waves", "profile"):
            if getattr(self, name):
                found[name] = [list(row) for row in getattr(self, name)]
        return found


def the_fluid(model: Model) -> Fluid | None:
    """The fluid of a machine that has parts in it."""
    immersed = any(element.type in ("hull", "propeller", "foil") for element in model.elements)
    settings = plain_json(model.settings)
    return Fluid.of(dict(settings.get("fluid", {}))) if immersed else None


def irregular_waves(
    height: float, period: float, count: int = 30, direction: float = 0.0, seed: int = 0
) -> tuple[tuple[float, float, float, float], ...]:
    """Waves of a sea with a significant height (m) and a peak period (s), of random phases.

    The spectrum is that of Pierson and Moskowitz, S = 5/16 Hs^2 wp^4 w^-5 exp(-5/4 (wp/w)^4), cut into
    parts of equal energy, so that the sum of a^2 / 2 is Hs^2 / 16 exactly.
    """
    if height < 0.0 or period <= 0.0 or count < 1:
        raise InputError("a sea needs a height, a positive period and at least one wave")
    rng = np.random.default_rng(seed)
    peak = 2.0 * math.pi / period
    # the share of the energy below w is exp(-5/4 (wp/w)^4)
    shares = (np.arange(count) + 0.5) / count
    frequencies = peak * (-0.8 * np.log(shares)) ** -0.25
    amplitude = math.sqrt(2.0 / count) * height / 4.0
    phases = rng.uniform(0.0, 2.0 * math.pi, count)
    return tuple((amplitude, float(w), direction, float(p)) for w, p in zip(frequencies, phases, strict=True))


def in_fluid(values: dict[str, Any], spec: ModelSpec) -> dict[str, Any]:
    """Parameters of an element, with those of the machine's fluid where it states none."""
    fluid = Fluid.of(dict(spec.settings.get("fluid", {})))
    given = {name: getattr(fluid, name) for name in values if hasattr(fluid, name)}
    return {name: given.get(name) if value is None else value for name, value in values.items()}


def fluid_parameters(item: ElementSpec, spec: ModelSpec) -> dict[str, Any]:
    """All parameters of an element in the machine's fluid; what it does not state is the fluid's."""
    from treadle.model.validate_elements import element_parameters

    return hull_parameters(item, spec) if item.type == "hull" else in_fluid(element_parameters(item), spec)


def hull_parameters(item: ElementSpec, spec: ModelSpec) -> dict[str, Any]:
    """All parameters of a hull; what it does not state is that of the machine's fluid and gravity."""
    from treadle.model.validate_elements import element_parameters

    values = in_fluid(element_parameters(item), spec)
    values["gravity"] = (
        tuple(vector(spec.gravity).tolist()) if values["gravity"] is None else values["gravity"]
    )
    values["volume"] = hull_volume(values) if values["volume"] is None else values["volume"]
    if values["added_mass"] is None:
        values["added_mass"] = tuple(tuple(row) for row in added_mass(values).tolist())
    return values


def hull_volume(values: dict[str, Any]) -> float:
    """Volume (m3) of a hull's shape."""
    if values["shape"] == "mesh":
        return mesh_volume(values["points"], values["triangles"])
    a, b, c = values["size"]
    return a * b * c * (4.0 / 3.0 * math.pi if values["shape"] == "ellipsoid" else 1.0)


def added_mass(values: dict[str, Any]) -> np.ndarray:
    """6 x 6 added mass of a hull in its frame: what it states, or that of its ellipsoid."""
    if values["added_mass"] is not None:
        return np.array(values["added_mass"], dtype=float)
    if values["shape"] != "ellipsoid":
        return np.zeros((6, 6))
    return ellipsoid_added_mass(values["size"], values["density"])


def ellipsoid_added_mass(half_axes: Any, density: float) -> np.ndarray:
    """6 x 6 added mass of an ellipsoid about its centre, along its axes (angular part first)."""
    axes = np.asarray(half_axes, dtype=float)
    squares = axes**2
    alpha = [
        2.0 / 3.0 * axes.prod() * carlson_rd(squares[(i + 1) % 3], squares[(i + 2) % 3], squares[i])
        for i in range(3)
    ]
    mass = 4.0 / 3.0 * math.pi * density * axes.prod()
    matrix = np.zeros((6, 6))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        matrix[3 + i, 3 + i] = mass * alpha[i] / (2.0 - alpha[i])
        difference, total = squares[j] - squares[k], squares[j] + squares[k]
        # about the axis of a round body nothing moves along
        if abs(difference) > 1e-9 * total:
            divisor = 2.0 * difference + total * (alpha[j] - alpha[k])
            matrix[i, i] = mass / 5.0 * difference**2 * (alpha[k] - alpha[j]) / divisor
    return matrix
