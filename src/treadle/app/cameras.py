"""Where people look from: standard views, and a camera that stays with a body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import viser

from treadle.app.scene import Scene

__all__ = ["VIEWS", "View", "aim", "first_view", "follow", "look", "standard_view"]

#: Directions from the machine to the camera, by name: x is forward, y to the left.
VIEWS = {
    "Oblique": (0.9, 1.0, 0.55),
    "Front": (1.0, 0.0, 0.05),
    "Rear": (-1.0, 0.0, 0.05),
    "Left": (0.0, 1.0, 0.05),
    "Right": (0.0, -1.0, 0.05),
    "Top": (-0.02, 0.0, 1.0),
}

#: Distance of the camera, in sizes of the machine.
_DISTANCE = 1.35


@dataclass(frozen=True)
class View:
    """Where a camera is and what it looks at (m, world)."""

    position: tuple[float, ...]
    look_at: tuple[float, ...]


def standard_view(scene: Scene, name: str) -> View:
    """One of `VIEWS` of a machine."""
    low, high = scene.bounds
    middle, direction = 0.5 * (low + high), np.array(VIEWS[name])
    distance = _DISTANCE * float((high - low).max())
    position = middle + distance * direction / np.linalg.norm(direction)
    if scene.inside is not None:
        # not from behind the walls
        margin = 0.08 * (scene.inside[1] - scene.inside[0])
        position = np.clip(position, scene.inside[0] + margin, scene.inside[1] - margin)
    return View(tuple(position.tolist()), tuple(middle.tolist()))


def look(client: viser.ClientHandle, view: View) -> None:
    """Move the camera of a page."""
    with client.atomic():
        client.camera.position = np.array(view.position)
        client.camera.look_at = np.array(view.look_at)


def first_view(server: viser.ViserServer) -> View:
    """Where a page looks from when it is opened."""
    first = server.initial_camera
    return View(tuple(first.position.tolist()), tuple(first.look_at.tolist()))


def aim(server: viser.ViserServer) -> None:
    """Move the cameras of all pages to where a page looks from when it is opened."""
    for client in server.get_clients().values():
        client.camera.fov = server.initial_camera.fov
        look(client, first_view(server))


def follow(clients: Iterable[viser.ClientHandle], place: np.ndarray) -> None:
    """Have cameras look at a place from where they stand as seen from it.

    What a page reports may be old, but how its camera stands to what it looks at is not changed by
    moving both.
    """
    for client in clients:
        camera = client.camera
        offset = camera.position - camera.look_at
        if np.linalg.norm(camera.look_at - place) > 1e-4:
            with client.atomic():
                camera.position = place + offset
                camera.look_at = place
