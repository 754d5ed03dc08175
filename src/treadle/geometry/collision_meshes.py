"""The meshes with which a machine touches, read from its files."""

from __future__ import annotations

import numpy as np

from treadle.errors import ModelError
from treadle.geometry.files import mesh_path, open_geometry
from treadle.geometry.mesh import read_mesh
from treadle.model.fittings import Shape
from treadle.model.model import Model

__all__ = ["collision_meshes"]


def collision_meshes(model: Model) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Points (n, 3) in metres and triangles (m, 3) of all collision shapes that are meshes, by their names.

    It is what a `Collider` wants as its `meshes`.
    """
    chosen = [shape for shape in model.shapes if shape.role == "collision"]
    meshes = {shape.name: _read(model, shape) for shape in chosen if shape.type == "mesh"}
    parts = [shape for shape in chosen if shape.type == "part"]
    if parts:
        geometry = open_geometry(model)
        for shape in parts:
            if geometry is None:
                raise _fault(shape, "is a part, but the machine has no geometry file")
            meshes[shape.name] = _joined(
                [(part.points, part.triangles()) for part in geometry.component(str(shape.file)).parts]
            )
    return meshes


def _read(model: Model, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    if shape.file is None:
        raise _fault(shape, "is a mesh without a file")
    return read_mesh(mesh_path(model.file, shape.file), shape.scale)


def _joined(meshes: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *(len(points) for points, _ in meshes)])
    return (
        np.concatenate([points for points, _ in meshes]),
        np.concatenate([triangles + offset for (_, triangles), offset in zip(meshes, offsets)]),
    )


def _fault(shape: Shape, message: str) -> ModelError:
    return ModelError(message, element=f'shape "{shape.name}"', hint='give it a file, or the role "visual"')
