"""What rays can hit of a machine and its surroundings: surfaces with a name, a link and a colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treadle.collision.ray_primitives import PLANE, primitive
from treadle.errors import InputError, ModelError
from treadle.geometry import threedt
from treadle.geometry.components import DEFAULT_COLOR, Component
from treadle.geometry.files import file_inside, mesh_path, open_geometry
from treadle.geometry.inertia_box import BODY_COLORS, inertia_box
from treadle.geometry.mesh import read_mesh
from treadle.model.attachments import Shape
from treadle.model.model import Model
from treadle.terrain import Grid, Plane, Terrain

__all__ = [
    "GROUND_COLOR", "Piece", "Surface", "grid_of", "link_pieces", "plane_piece", "scenery_pieces",
    "shape_pieces",
]  # fmt: skip

#: Colour of terrain.
GROUND_COLOR = (0.52, 0.47, 0.40, 1.0)

#: Ramps and patches are sampled with this spacing over a square of this half side (m).
_SPACING, _HALF_SIDE = 0.1, 60.0


class Surface(NamedTuple):
    """A surface that sensors tell apart: its name, the link that it is on ("world"), and its colour."""

    name: str
    link: str
    color: tuple[float, ...]


@dataclass(frozen=True)
class Piece:
    """Geometry of one surface on a body (0: the world): triangles in body axes, or a primitive."""

    surface: Surface
    body: int
    #: corners (n, 3, 3), in the body's axes
    triangles: np.ndarray | None = None
    #: one of `solids`, its rotation by rows and position in the body (12), and three sizes
    kind: int = 0
    pose: tuple[float, ...] = ()
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)


def shape_pieces(model: Model, role: str) -> list[Piece]:
    """The shapes of a machine with a role; those for contact where it has none that are meant to be seen.

    With the role "all" they are those of both roles that are not transparent.
    """
    shapes = [shape for shape in model.shapes if shape.role == role]
    if role == "all":
        shapes = [s for s in model.shapes if s.color is None or len(s.color) < 4 or s.color[3] > 0.0]
    if not shapes and role == "visual":
        shapes = list(model.shapes)
    geometry = open_geometry(model) if any(shape.type == "part" for shape in shapes) else None
    components = {} if geometry is None else {item.name: item for item in geometry.components}
    return [piece for shape in shapes for piece in _pieces(model, shape, components)]


def link_pieces(model: Model) -> list[Piece]:
    """Boxes with the inertia of the links of a machine that has no shapes."""
    found = []
    for link in model.links if not model.shapes else ():
        if float(link.mass) > 0.0:  # type: ignore[arg-type]
            pose, sides = inertia_box(link)
            kind, size = primitive("box", tuple(sides.tolist()))
            surface = Surface(link.name, link.name, BODY_COLORS[link.body % len(BODY_COLORS)])
            numbers = (*pose[:3, :3].ravel().tolist(), *pose[:3, 3].tolist())
            found.append(Piece(surface, link.body + 1, kind=kind, pose=numbers, size=size))
    return found


def _pieces(model: Model, shape: Shape, components: dict[str, Component]) -> list[Piece]:
    body, link = shape.body + 1, shape.link or "world"
    color = DEFAULT_COLOR if shape.color is None else tuple(shape.color)
    surface = Surface(shape.name, link, color)
    pose = shape.placement.to_matrix()
    if shape.type == "part":
        if shape.file not in components:
            raise ModelError(
                f"is the part {shape.file!r}, which the geometry file does not have",
                file=model.file,
                element=f'shape "{shape.name}"',
                hint="check the geometry file",
            )
        scale = np.array(shape.scale)
        return [
            Piece(
                Surface(shape.name, link, tuple(part.color.tolist())),
                body,
                _moved(part.points * scale, part.triangles(), pose),
            )
            for part in components[shape.file].parts
        ]
    if shape.type == "mesh":
        if shape.file is None:
            hint = "give it a file, or use a primitive"
            raise ModelError("is a mesh without a file", element=f'shape "{shape.name}"', hint=hint)
        points, triangles = read_mesh(mesh_path(model.file, shape.file), shape.scale)
        return [Piece(surface, body, _moved(points, triangles, pose))]
    place = tuple(float(x) for x in shape.placement.to_list())  # type: ignore[arg-type]
    kind, size = primitive(shape.type, shape.size)
    return [Piece(surface, body, kind=kind, pose=place, size=size)]


def _moved(points: np.ndarray, triangles: np.ndarray, pose: np.ndarray) -> np.ndarray:
    return (points @ pose[:3, :3].T + pose[:3, 3])[triangles]


def scenery_pieces(model: Model) -> list[Piece]:
    """The surroundings of a machine: the .3dt file of its setting "scenery", fixed to the world."""
    name = model.settings.get("scenery")
    if name is None or model.file is None:
        return []
    path = file_inside(model.file, str(name), "scenery")
    pieces = []
    for component in threedt.read(path).components:
        for part in component.parts:
            surface = Surface(component.name, "world", tuple(part.color.tolist()))
            pieces.append(Piece(surface, 0, part.points[part.triangles()]))
    return pieces


def plane_piece(plane: Plane) -> Piece:
    """A plane of the terrain as a primitive whose z axis is its normal."""
    z = np.array([-plane.rise[0], -plane.rise[1], 1.0])
    z /= np.linalg.norm(z)
    x = np.array([1.0, 0.0, plane.rise[0]])
    x /= np.linalg.norm(x)
    rotation = np.column_stack([x, np.cross(z, x), z])
    pose = (*rotation.ravel().tolist(), 0.0, 0.0, float(plane.level))
    return Piece(Surface("terrain", "world", GROUND_COLOR), 0, kind=PLANE, pose=pose)


def grid_of(terrain: Terrain) -> Grid:
    """The terrain as an elevation grid; ramps and patches are sampled every 10 cm, 60 m around the origin."""
    if isinstance(terrain, Grid):
        return terrain
    places = np.arange(-_HALF_SIDE, _HALF_SIDE + 0.5 * _SPACING, _SPACING)
    try:
        heights = np.array(terrain.height(places[:, None], places[None, :]), dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"rays need the heights of {type(terrain).__name__} as an array: give them a td.Grid"
        ) from None
    heights = np.broadcast_to(heights, (len(places), len(places))).copy()
    return Grid(heights, (_SPACING, _SPACING), (-_HALF_SIDE, -_HALF_SIDE))
