"""The meshes with which a machine touches, read from its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treadle.errors import ModelError
from treadle.geometry.components import Component
from treadle.geometry.files import mesh_path, open_geometry
from treadle.geometry.mesh import read_mesh
from treadle.model.attachments import Shape
from treadle.model.model import Model

__all__ = ["MeshChoice", "Meshes", "collision_meshes", "is_mesh", "mesh_pieces", "missing_meshes"]

#: Points (n, 3) in metres and triangles (m, 3).
Triangles = tuple[np.ndarray, np.ndarray]

#: Meshes by the names of their shapes: one each, or the pieces that a shape consists of.
Meshes = Mapping[str, Triangles | Sequence[Triangles]]

#: The same, or words for what meshes touch as: one for some shapes or for all, see `sim.meshes`.
MeshChoice = Mapping[str, Triangles | Sequence[Triangles] | str] | str


def collision_meshes(model: Model) -> dict[str, Triangles]:
    """Points (n, 3) in metres and triangles (m, 3) of all collision shapes that are meshes, by their names.

    A `Collider` and a `Simulation` take them as their `meshes`, as they are or changed.
    """
    return missing_meshes(model, {})


def missing_meshes(model: Model, given: Iterable[str]) -> dict[str, Triangles]:
    """The same without those of the names given. ModelError for a file that is missing or damaged."""
    given = set(given)
    chosen = [shape for shape in model.shapes if is_mesh(shape) and shape.name not in given]
    meshes = {shape.name: _read(model, shape) for shape in chosen if shape.type == "mesh"}
    return meshes | _parts(model, [shape for shape in chosen if shape.type == "part"])


def mesh_pieces(mesh: Triangles | Sequence[Triangles]) -> list[Triangles]:
    """The pieces of a shape: those of a list of meshes, or the one mesh itself."""
    try:
        several = np.ndim(mesh[0][0]) == 2  # type: ignore[arg-type]
    except (IndexError, TypeError, ValueError):
        # what is wrong with it is found when it is checked
        several = False
    return list(mesh) if several else [mesh]  # type: ignore[list-item]


def is_mesh(shape: Shape) -> bool:
    """Whether a shape touches with a mesh."""
    return shape.role == "collision" and shape.type in ("mesh", "part")


def _read(model: Model, shape: Shape) -> Triangles:
    if shape.file is None:
        raise _fault(
            shape,
            "is a mesh without a file",
            f"give meshes={{{shape.name!r}: (points, triangles)}}, or a file",
        )
    try:
        return read_mesh(mesh_path(model.file, shape.file), shape.scale)
    except ModelError as error:
        # named as the description does: where that lies may be nobody's business
        raise _fault(shape, f'its mesh "{shape.file}": {error.message}', error.hint) from None


def _parts(model: Model, shapes: Iterable[Shape]) -> dict[str, Triangles]:
    shapes = list(shapes)
    geometry = open_geometry(model) if shapes else None
    known = {} if geometry is None else {item.name: item for item in geometry.components}
    for shape in shapes:
        if geometry is None:
            raise _fault(shape, "is a part, but the machine has no geometry file")
        if shape.file not in known:
            raise _fault(shape, f'is the part "{shape.file}", which the geometry file does not have')
    return {shape.name: _joined(known[str(shape.file)], np.array(shape.scale)) for shape in shapes}


def _joined(component: Component, scale: np.ndarray) -> Triangles:
    offsets = np.cumsum([0, *(len(part.points) for part in component.parts)])
    triangles = [part.triangles() + offset for part, offset in zip(component.parts, offsets)]
    return np.concatenate([part.points for part in component.parts]) * scale, np.concatenate(triangles)


def _fault(shape: Shape, message: str, hint: str | None = None) -> ModelError:
    remedy = "" if hint is None else f"{hint}, or "
    return ModelError(
        message, element=f'shape "{shape.name}"', hint=f'{remedy}give the shape the role "visual"'
    )
