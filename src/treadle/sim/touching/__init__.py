"""Steps of machines with contact. Importing a module of this package but this one imports Numba."""

from __future__ import annotations

from treadle.model.model import WORLD, Model
from treadle.terrain import Terrain

__all__ = ["touches"]


def touches(model: Model, terrain: Terrain | None = None) -> bool:
    """Whether a machine has something to touch: collision shapes on bodies that move, and in the world.

    The world's are those that no link carries; terrain is in the world too, unless wheels run on it. Meshes
    do not touch yet: a machine that has them touches nothing unless it is told to.
    """
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    grounded = any(shape.link is None for shape in shapes) or (terrain is not None and not model.wheels)
    solid = all(shape.type not in ("mesh", "part") for shape in shapes)
    return grounded and solid and any(shape.body != WORLD for shape in shapes)
