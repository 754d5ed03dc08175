"""Steps of machines with contact. Importing a module of this package but this one imports Numba."""

from __future__ import annotations

from collections.abc import Container

from treadle.model.model import WORLD, Model
from treadle.terrain import Terrain

__all__ = ["touches"]


def touches(model: Model, terrain: Terrain | None = None, meshes: Container[str] = ()) -> bool:
    """Whether a machine has something to touch: collision shapes on bodies that move, and in the world.

    The world's are those that no link carries; terrain is in the world too, unless wheels run on it. A
    machine with a mesh that is not among the `meshes` touches nothing unless it is told to.
    """
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    grounded = any(shape.link is None for shape in shapes) or (terrain is not None and not model.wheels)
    solid = all(shape.type not in ("mesh", "part") or shape.name in meshes for shape in shapes)
    return grounded and solid and any(shape.body != WORLD for shape in shapes)
