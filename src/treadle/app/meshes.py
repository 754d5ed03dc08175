"""What a machine looks like: meshes for every body, those of one colour joined into one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import trimesh

from treadle.errors import ModelError
from treadle.formats.folder import Folder
from treadle.geometry import threedt
from treadle.geometry.components import DEFAULT_COLOR, Component
from treadle.geometry.files import mesh_path, open_geometry
from treadle.geometry.inertia_box import BODY_COLORS, inertia_box
from treadle.geometry.mesh import read_mesh
from treadle.model.attachments import Shape
from treadle.model.model import Link, Model

__all__ = ["Mesh", "machine_meshes", "scenery_meshes"]

#: Edges that are sharper than this (rad) are drawn as edges.
_SHARP = 0.5

#: Half the side (m) of the square that stands for a plane without end.
_PLANE = 20.0


class Mesh(NamedTuple):
    """Points (n, 3) in the frame of the body (m), triangles (m, 3), and red, green, blue, alpha."""

    points: np.ndarray
    triangles: np.ndarray
    color: tuple[float, ...]


def machine_meshes(model: Model) -> tuple[dict[int, list[Mesh]], list[str]]:
    """The meshes of every body by its index (-1: the world), and what could not be shown.

    Shapes that are meant to be seen are shown, or those for contact where there are no others. A machine
    without any shapes is shown as boxes with the inertia of its links.
    """
    shapes = [shape for shape in model.shapes if shape.role == "visual"] or list(model.shapes)
    components, faults = _components(model)
    meshes: dict[int, list[Mesh]] = defaultdict(list)
    for shape in shapes:
        try:
            for mesh in _shape_meshes(model, shape, components):
                meshes[shape.body].append(_moved(mesh, shape.placement.to_matrix()))
        except ModelError as error:
            faults.append(f"{shape.file or shape.name} ({error.message})")
    if not shapes:
        for link in model.links:
            if float(link.mass) > 0.0:  # type: ignore[arg-type]
                meshes[link.body].append(_inertia_box(link, BODY_COLORS[link.body % len(BODY_COLORS)]))
    return {body: _joined(items) for body, items in meshes.items()}, faults


def scenery_meshes(model: Model) -> dict[str, list[Mesh]]:
    """The meshes of the machine's surroundings by component: the .3dt file of its setting "scenery"."""
    name = model.settings.get("scenery")
    if name is None or model.file is None:
        return {}
    geometry = threedt.read(Folder(Path(model.file).parent).locate(str(name)))
    return {component.name: _joined(_part_meshes(component)) for component in geometry.components}


def _components(model: Model) -> tuple[dict[str, Component], list[str]]:
    try:
        geometry = open_geometry(model)
    except ModelError as error:
        return {}, [f"{model.geometry} ({error.message})"]
    return {} if geometry is None else {item.name: item for item in geometry.components}, []


def _shape_meshes(model: Model, shape: Shape, components: dict[str, Component]) -> list[Mesh]:
    """The meshes of a shape in its own frame."""
    if shape.type == "part":
        if shape.file not in components:
            raise ModelError(f"the geometry file has no component {shape.file!r}")
        scale = np.array(shape.scale)
        return [
            mesh._replace(points=mesh.points * scale) for mesh in _part_meshes(components[str(shape.file)])
        ]
    color = DEFAULT_COLOR if shape.color is None else tuple(shape.color)
    if shape.type == "mesh":
        if shape.file is None:
            raise ModelError("its mesh has no file")
        points, triangles = read_mesh(mesh_path(model.file, shape.file), shape.scale)
        return [Mesh(points, triangles, color)]
    solid = _solid(shape)
    return [Mesh(np.array(solid.vertices), np.array(solid.faces), color)]


def _part_meshes(component: Component) -> list[Mesh]:
    return [Mesh(part.points, part.triangles(), tuple(part.color.tolist())) for part in component.parts]


def _solid(shape: Shape) -> trimesh.Trimesh:
    """A mesh for a shape that is given by its size."""
    size = shape.size
    match shape.type:
        case "box":
            return trimesh.creation.box(size)
        case "sphere":
            return trimesh.creation.icosphere(3, size[0])
        case "cylinder":
            return trimesh.creation.cylinder(size[0], size[1])
        case "capsule":
            # trimesh builds them with the middle at the origin, too
            return trimesh.creation.capsule(size[1], size[0])
        case "ellipsoid":
            return trimesh.creation.icosphere(3).apply_scale(size)
        case _:
            return trimesh.creation.box((2 * _PLANE, 2 * _PLANE, 1e-3))


def _inertia_box(link: Link, color: tuple[float, ...]) -> Mesh:
    """What stands for a link without shapes."""
    pose, sides = inertia_box(link)
    box = trimesh.creation.box(sides)
    return _moved(Mesh(np.array(box.vertices), np.array(box.faces), color), pose)


def _moved(mesh: Mesh, pose: np.ndarray) -> Mesh:
    return mesh._replace(points=mesh.points @ pose[:3, :3].T + pose[:3, 3])


def _joined(meshes: list[Mesh]) -> list[Mesh]:
    """One mesh for each colour, its sharp edges opened."""
    groups: dict[tuple[float, ...], list[Mesh]] = defaultdict(list)
    for mesh in meshes:
        groups[tuple(mesh.color)].append(_opened(mesh))
    joined = []
    for color, group in groups.items():
        starts = np.cumsum([0, *(len(mesh.points) for mesh in group[:-1])])
        triangles = [mesh.triangles + start for mesh, start in zip(group, starts)]
        joined.append(Mesh(np.vstack([mesh.points for mesh in group]), np.vstack(triangles), color))
    return joined


def _opened(mesh: Mesh) -> Mesh:
    """The mesh with points doubled along sharp edges, so that smooth shading ends there."""
    solid = trimesh.Trimesh(mesh.points, mesh.triangles, process=False)
    smooth = solid.face_adjacency[solid.face_adjacency_angles < _SHARP]
    patch = trimesh.graph.connected_component_labels(smooth, node_count=len(mesh.triangles))
    count = len(mesh.points)
    corners = patch[:, None].astype(np.int64) * count + mesh.triangles
    kept, triangles = np.unique(corners, return_inverse=True)
    return Mesh(mesh.points[kept % count], triangles.reshape(-1, 3), mesh.color)
