"""Terrain as something that shapes touch: a plane is a plane shape, a grid a height field.

Its surface is the machine's material "terrain" if there is one, else a rigid one with the terrain's friction.
The cells of a grid are two flat triangles here (`HeightField`), and beyond its border there is nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treadle.collision.collider import Collider
from treadle.collision.height_field import HeightField
from treadle.errors import InputError
from treadle.model.fittings import Material, Shape
from treadle.model.model import WORLD, Model
from treadle.spatial import Transform
from treadle.terrain import Grid, Plane, Terrain

__all__ = ["UNDER_WHEEL", "on_terrain", "terrain_roles"]

#: Name of the terrain's shape and material.
_NAME = "terrain"


#: Roles of shapes: on a link with a wheel, which runs on the terrain by its own model; and the terrain. They
#: do not touch each other.
_WHEEL, _TERRAIN = 1, 2
UNDER_WHEEL = _WHEEL + _TERRAIN


def terrain_roles(model: Model, collider: Collider) -> np.ndarray:
    """(shapes) the roles of a collider's shapes."""
    carriers = [wheel.body + 1 for wheel in model.wheels]
    roles = np.where(np.isin(collider.shapes.body, carriers), _WHEEL, 0).astype(np.int64)
    known = {shape.name for shape in model.shapes}
    added = [name == _NAME and name not in known for name in collider.names]
    return np.where(added, _TERRAIN, roles)


def on_terrain(model: Model, terrain: Terrain | None) -> tuple[Model, list[HeightField]]:
    """The machine with a plane and a material of the terrain, and the height fields beside it."""
    if terrain is None:
        return model, []
    if all(material.name != _NAME for material in model.materials):
        surface = Material(_NAME, friction=terrain.friction)
        model = replace(model, materials=(*model.materials, surface))
    if isinstance(terrain, Plane):
        plane = Shape(_NAME, None, WORLD, _pose(terrain), "plane", (), "collision", material=_NAME)
        return replace(model, shapes=(*model.shapes, plane)), []
    if isinstance(terrain, Grid):
        return model, [_field(terrain)]
    raise InputError(
        f"shapes touch terrain that is a td.Plane or a td.Grid, not a {type(terrain).__name__}; "
        "take its heights at the points of a grid, or give Simulation contact=False"
    )


def _pose(plane: Plane) -> Transform:
    """Its z along the normal, through (0, 0, level)."""
    normal = np.array([-plane.rise[0], -plane.rise[1], 1.0])
    along = np.array([1.0, 0.0, plane.rise[0]])
    z, x = normal / np.linalg.norm(normal), along / np.linalg.norm(along)
    matrix = np.eye(4)
    matrix[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    matrix[2, 3] = plane.level
    return Transform.of(matrix)


def _field(grid: Grid) -> HeightField:
    """The same heights, with rows along y."""
    size = [(n - 1) * d for n, d in zip(grid.heights.shape, grid.spacing, strict=True)]
    x, y = (o + 0.5 * length for o, length in zip(grid.origin, size, strict=True))
    return HeightField(_NAME, grid.heights.T, (size[0], size[1]), (x, y, 0.0), _NAME)
