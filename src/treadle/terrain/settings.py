"""Terrain from a machine's settings: plain data that describe the same ground anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treadle.errors import InputError
from treadle.terrain.generate import fractal_grid, random_grid
from treadle.terrain.grid import Grid
from treadle.terrain.patch import Patch
from treadle.terrain.plane import Plane
from treadle.terrain.ramp import Ramp
from treadle.terrain.terrain import Soil, Terrain

__all__ = ["TERRAINS", "make_terrain"]

#: Kinds of terrain and their constructors.
TERRAINS: dict[str, Callable[..., Terrain]] = {
    "plane": Plane,
    "ramp": Ramp,
    "patch": Patch,
    "grid": Grid,
    "random": random_grid,
    "fractal": fractal_grid,
}


def make_terrain(given: Any) -> Terrain:
    """The terrain itself, or the one that a table such as {"type": "random", "seed": 3} describes."""
    if isinstance(given, Terrain):
        return given
    if not isinstance(given, Mapping):
        raise InputError(
            "a terrain is a td.Plane, td.Grid or another one of treadle.terrain, or a table with a type, not "
            f"{type(given).__name__}"
        )
    values = dict(given)
    kind = values.pop("type", None)
    if kind not in TERRAINS:
        raise InputError(f"unknown type of terrain {kind!r}; use one of {', '.join(TERRAINS)}")
    if "soil" in values:
        values["soil"] = Soil(**values["soil"])
    if "ground" in values:
        values["ground"] = make_terrain(values["ground"])
    try:
        return TERRAINS[kind](**values)
    except TypeError as error:
        raise InputError(f"the terrain of type {kind!r} cannot be made: {error}") from None
