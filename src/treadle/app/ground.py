"""The terrain that wheels run on, as a mesh."""

from __future__ import annotations

import numpy as np
import viser

from treadle.app.overlays import size
from treadle.app.scene import Scene
from treadle.terrain import Grid, Plane, Terrain

__all__ = ["add_terrain", "terrain_mesh"]

#: Half the side of the square that is shown, in sizes of the machine, and its points along a side.
_REACH, _POINTS = 6.0, 120

#: Colour of the soil.
_SOIL = (150, 125, 98)


def add_terrain(server: viser.ViserServer, scene: Scene, terrain: Terrain) -> None:
    """Show a terrain instead of the grid; a level plane at the ground stays the grid."""
    if isinstance(terrain, Plane) and terrain == Plane():
        return
    low, high = scene.bounds
    middle = 0.5 * (low + high)
    reach = _REACH * size(scene)
    x, y = (np.linspace(middle[k] - reach, middle[k] + reach, _POINTS) for k in (0, 1))
    if isinstance(terrain, Grid):
        # all of it, with its own points where they are not too many
        x, y = _own(terrain.x), _own(terrain.y)
    points, triangles = terrain_mesh(terrain, x, y)
    node = server.scene.add_frame(f"{scene.under}/scenery/terrain", show_axes=False)
    server.scene.add_mesh_simple(f"{node.name}/soil", points, triangles, color=_SOIL, side="double")
    scene.scenery["terrain"] = node
    if scene.ground is not None:
        scene.ground.remove()
        scene.ground = None


def terrain_mesh(terrain: Terrain, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and triangles (m, 3) of the terrain over a grid of x and y (m)."""
    X, Y = np.meshgrid(x, y, indexing="ij")
    heights = [float(terrain.height(a, b)) for a, b in zip(X.ravel().tolist(), Y.ravel().tolist())]  # type: ignore[arg-type]
    points = np.column_stack([X.ravel(), Y.ravel(), heights])
    corner = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    first = np.column_stack([corner, corner + len(y), corner + len(y) + 1])
    second = np.column_stack([corner, corner + len(y) + 1, corner + 1])
    return points, np.vstack([first, second])


def _own(places: np.ndarray) -> np.ndarray:
    places = np.asarray(places, dtype=float)
    return places if len(places) <= 2 * _POINTS else np.linspace(places[0], places[-1], 2 * _POINTS)
