"""Steps of machines with contact. Importing a module of this package but this one imports Numba."""

from __future__ import annotations

from treadle.model.model import WORLD, Model

__all__ = ["touches"]


def touches(model: Model) -> bool:
    """Whether a machine has something to touch: collision shapes in the world and on bodies that move."""
    bodies = {shape.body for shape in model.shapes if shape.role == "collision"}
    return WORLD in bodies and len(bodies) > 1
