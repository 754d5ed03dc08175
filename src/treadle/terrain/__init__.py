"""The ground: height, normal, friction and soil at a point, one kind of terrain per file."""

from treadle.terrain.generate import fractal_grid, random_grid
from treadle.terrain.grid import Grid
from treadle.terrain.load import fill_holes, load_terrain
from treadle.terrain.mesh import mesh_grid
from treadle.terrain.patch import Patch
from treadle.terrain.plane import Plane
from treadle.terrain.ramp import Ramp
from treadle.terrain.settings import TERRAINS, make_terrain
from treadle.terrain.terrain import Soil, Surface, Terrain

__all__ = [
    "TERRAINS", "Grid", "Patch", "Plane", "Ramp", "Soil", "Surface", "Terrain", "fill_holes",
    "fractal_grid", "load_terrain", "make_terrain", "mesh_grid", "random_grid",
]  # fmt: skip
