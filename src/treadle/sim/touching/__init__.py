"""Steps of machines with contact. Importing a module of this package but this one imports Numba."""

from __future__ import annotations

from treadle.model.model import WORLD, Model
from treadle.terrain import Terrain

__all__ = ["touches"]


def touches(model: Model, terrain: Terrain | None = None) -> bool:
    """Whether a machine has something to touch: collision shapes on bodies that move, and in the world.

    Terrain is in the world too, unless wheels run on it.
    """
    bodies = {shape.body for shape in model.shapes if shape.role == "collision"}
    grounded = WORLD in bodies or (terrain is not None and not model.wheels)
    return grounded and bool(bodies - {WORLD})
