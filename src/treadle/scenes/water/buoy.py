"""A buoy moored by a chain to the bottom of the sea, in waves and a current."""

from __future__ import annotations

from math import pi
from typing import Any

from treadle.errors import InputError
from treadle.model import ModelSpec, cylinder_inertia
from treadle.model.hydrodynamics import Fluid, irregular_waves
from treadle.scenes.bars import DARK, ORANGE, STEEL

__all__ = ["moored_buoy"]

#: Depth of the water (m), density of sea water (kg/m3).
DEPTH, DENSITY = 10.0, 1025.0
#: Radius (m) and mass (kg) of the buoy, and how far the chain hangs below its centre (m).
RADIUS, MASS, EYE = 0.6, 250.0, 0.8
#: Chain: length (m), radius of its links as a bar (m), density of steel (kg/m3).
LENGTH, BAR, STEEL_DENSITY = 9.2, 0.025, 7850.0


def moored_buoy(links: int = 12, wave: float = 0.0, current: float = 0.0) -> ModelSpec:
    """A buoy on a taut chain of steel; `wave`: significant height of a sea (m), `current` along x (m/s)."""
    if not isinstance(links, int) or isinstance(links, bool) or links < 1:
        raise InputError(f"a mooring needs a whole number of links, at least 1, not {links!r}")
    spec = ModelSpec("moored-buoy", settings={"dt": 1e-2})
    sea: dict[str, Any] = {"waves": irregular_waves(wave, 5.0, 8)} if wave else {}
    Fluid(DENSITY, current=(current, 0.0, 0.0), surface=0.0, **sea).surround(spec)
    length = LENGTH / links
    mass = STEEL_DENSITY * pi * BAR**2 * length
    across = cylinder_inertia(mass, BAR, length)
    for k in range(links):
        name, parent = f"link{k}", f"link{k - 1}" if k else None
        place = (0.0, 0.0, length) if k else (0.0, 0.0, -DEPTH)
        spec.add_body(name, mass, center=(0, 0, 0.5 * length), inertia=across)
        spec.add_joint(f"pin{k}", "ball", parent, name, position=place, damping=0.5)
        # an ellipsoid of the same length and volume, all of it under water
        radius = BAR * 1.5**0.5
        hull = {"size": (radius, radius, 0.5 * length), "drag_coefficient": 1.2}
        spec.add_hull(f"{name}_hull", name, (0, 0, 0.5 * length), **hull)
        bar = {"position": (0, 0, 0.5 * length), "color": STEEL if k % 2 else DARK}
        spec.add_shape(f"{name}_bar", name, "capsule", (2.0 * BAR, 0.85 * length), **bar)
    spec.add_body("buoy", MASS, center=(0, 0, EYE - 0.2), inertia=(30.0, 30.0, 36.0))
    top = f"link{links - 1}"
    spec.add_joint("eye", "ball", top, "buoy", position=(0, 0, length), damping=5.0)
    spec.add_hull("buoy_hull", "buoy", (0, 0, EYE), size=(RADIUS,) * 3, drag_coefficient=0.5)
    spec.add_shape("float", "buoy", "sphere", (RADIUS,), position=(0, 0, EYE), color=ORANGE)
    spec.add_shape("stem", "buoy", "cylinder", (0.05, EYE), position=(0, 0, 0.5 * EYE), color=STEEL)
    spec.add_shape("mast", "buoy", "cylinder", (0.04, 1.0), position=(0, 0, EYE + 1.0), color=STEEL)
    spec.add_shape("lamp", "buoy", "sphere", (0.1,), position=(0, 0, EYE + 1.5), color=ORANGE)
    spec.add_shape("anchor", None, "box", (1.0, 1.0, 0.3), position=(0, 0, -DEPTH - 0.15), color=DARK)
    return spec
