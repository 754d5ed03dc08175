"""Ways through the picture, such as those of a planner's candidates: lines coloured by what they cost."""

from __future__ import annotations

import numpy as np
import viser
from numpy.typing import ArrayLike

from treadle.app.scene import Scene
from treadle.errors import InputError

__all__ = ["PathLines", "path_colors", "path_segments"]

#: Colours of the cheapest and of the dearest way, and the thickness of lines in pixels.
_CHEAP, _DEAR = np.array([20.0, 190.0, 90.0]), np.array([230.0, 90.0, 60.0])
_THICK = 1.5


class PathLines:
    """The ways that are drawn in a scene, by name."""

    def __init__(self, server: viser.ViserServer, scene: Scene) -> None:
        self._server, self._scene = server, scene
        self.lines: dict[str, viser.LineSegmentsHandle] = {}

    def draw(self, name: str, paths: ArrayLike, costs: ArrayLike | None = None) -> None:
        """Draw ways (n, points, 3) in the world instead of those of the same name; none: remove them."""
        places = np.asarray(paths, dtype=float)
        before = self.lines.pop(name, None)
        if before is not None:
            before.remove()
        if not places.size:
            return
        segments, colors = path_segments(places), path_colors(places, costs)
        self.lines[name] = self._server.scene.add_line_segments(
            f"{self._scene.under}/overlay/paths of {name.replace('/', ' ')}",
            segments,
            colors=colors,
            thickness=_THICK,
            thickness_units="screen",
        )


def path_segments(paths: np.ndarray) -> np.ndarray:
    """Ends (n (points - 1), 2, 3) of the pieces of ways (n, points, 3)."""
    if paths.ndim != 3 or paths.shape[1] < 2 or paths.shape[2] != 3:
        raise InputError(f"paths are an array (number, points, 3) of two points or more, not {paths.shape}")
    return np.stack([paths[:, :-1], paths[:, 1:]], axis=2).reshape(-1, 2, 3)


def path_colors(paths: np.ndarray, costs: ArrayLike | None) -> np.ndarray:
    """Colours (n (points - 1), 2, 3): from green for the cheapest way to red for the dearest, by rank."""
    count = len(paths)
    worth = np.arange(count) if costs is None else np.asarray(costs, dtype=float)
    if worth.shape != (count,):
        raise InputError(f"{count} paths need as many costs, not {worth.shape}")
    # by rank, since a few that fail cost more than all others together
    rank = np.argsort(np.argsort(worth, kind="stable"), kind="stable") / max(count - 1, 1)
    shades = _CHEAP + rank[:, None] * (_DEAR - _CHEAP) if costs is not None else np.tile(_CHEAP, (count, 1))
    return np.repeat(shades.astype(np.uint8), 2 * (paths.shape[1] - 1), axis=0).reshape(-1, 2, 3)
