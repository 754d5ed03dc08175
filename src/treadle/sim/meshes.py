"""The meshes that shapes touch with in a step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treadle.collision.mesh import convex_hull
from treadle.errors import InputError
from treadle.geometry.collision_meshes import is_mesh, missing_meshes
from treadle.model.model import WORLD, Model, suggest

__all__ = ["contact_meshes", "unchanged_meshes"]

Meshes = dict[str, tuple[np.ndarray, np.ndarray]]


def contact_meshes(model: Model, given: Mapping[str, tuple[np.ndarray, np.ndarray]] | None) -> Meshes:
    """The meshes that are given, and from the machine's files those that are not.

    Of these a mesh that moves touches as the smallest convex solid around it, one that is fixed to the
    world as it is: then no two meet for which there is no kernel.
    """
    meshes = dict(given or {})
    known = [shape.name for shape in model.shapes if is_mesh(shape)]
    for name in meshes:
        if name not in known:
            raise InputError(
                f"meshes: {model.name!r} has no collision mesh named {name!r}; {suggest(name, known)}"
            )
    moves = {shape.name: shape.body != WORLD for shape in model.shapes}
    for name, mesh in missing_meshes(model, meshes).items():
        meshes[name] = _hull(mesh) if moves[name] else mesh
    return meshes


def unchanged_meshes(
    meshes: Mapping[str, tuple[np.ndarray, np.ndarray]], before: Model, after: Model
) -> Meshes:
    """The meshes of shapes that an edit of the machine has left alone."""
    old, new = (
        {shape.name: (shape.type, shape.file, shape.scale) for shape in model.shapes if is_mesh(shape)}
        for model in (before, after)
    )
    return {name: mesh for name, mesh in meshes.items() if name in new and old.get(name) == new[name]}


def _hull(mesh: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    try:
        return convex_hull(mesh[0])
    except InputError:
        # a flat one is a surface
        return mesh
