"""Where people look from: standard views, which pages fit to the part of the window that is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import viser

from treadle.app.scene import Scene
from treadle.joints import RollingDisc
from treadle.model.model import WORLD, Model

__all__ = [
    "CHOICES", "VIEWS", "View", "aim_task", "cockpit", "first_view", "look", "standard_view", "traveller",
    "vehicle_body",
]  # fmt: skip

#: Directions from the machine to the camera, by name: x is forward, y to the left.
VIEWS = {
    "Oblique": (0.9, 1.0, 0.55),
    "Front": (1.0, 0.0, 0.05),
    "Rear": (-1.0, 0.0, 0.05),
    "Left": (0.0, 1.0, 0.05),
    "Right": (0.0, -1.0, 0.05),
    "Top": (-0.02, 0.0, 1.0),
}

#: The direction in which pages are opened in a room, or where a machine has its work ahead: from behind.
_BEHIND = (-0.9, -0.45, 0.5)

#: What people choose from: as when a page is opened, all of the machine from where they are, and `VIEWS`.
CHOICES = ("Start", "Fit", *VIEWS)

#: Distance of the camera, in sizes of the machine.
_DISTANCE = 1.35

#: The frame of whoever drives the machine, where it has one: x is forward.
_OPERATOR = "operator"


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


def aim_task(scene: Scene, view: str | None, fov: float, heading: float = 0.0) -> dict[str, Any]:
    """What `cameras.js` needs to look at a machine where it is now: one of `CHOICES`, None as "Start".

    `fov` is the vertical field of view and `heading` the direction of the machine's front (rad).
    """
    start = _BEHIND if scene.inside is not None or scene.has_frame(_OPERATOR) else VIEWS["Oblique"]
    direction = np.array(VIEWS.get(view or "Start", start))
    cosine, sine = np.cos(heading), np.sin(heading)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return {
        "root": scene.under,
        "view": view,
        "points": np.round(scene.corners(), 4).tolist(),
        # from where the camera is now
        "direction": None if view == "Fit" else np.round(turn @ direction, 6).tolist(),
        "fov": float(np.degrees(fov)),
        # in a room, what stands before the machine is cut away
        "cut": scene.inside is not None,
    }


def cockpit(scene: Scene, model: Model, body: str) -> dict[str, Any]:
    """What `cameras.js` needs to ride along: the eye and the direction of view, in the axes of a node.

    A machine with a frame "operator" is seen from there; any other from above the front half of a body.
    """
    place = next((frame for frame in model.frames if frame.name == _OPERATOR), None)
    if place is not None:
        first = next(frame for frame in model.frames if frame.body == place.body)
        if first.name in scene.nodes:
            X = first.placement.inverse().to_matrix() @ place.placement.to_matrix()
            eye, front = X[:3, 3], X[:3, 0]
            return {"name": scene.nodes[first.name].name, "eye": eye.tolist(), "front": front.tolist()}
    corners = scene.body_corners(body)
    low, high = (corners.min(axis=0), corners.max(axis=0)) if len(corners) else (np.zeros(3), np.zeros(3))
    eye = np.array([0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), high[2] + 0.15 * (high[2] - low[2])])
    return {"name": scene.nodes[body].name, "eye": eye.tolist(), "front": [1.0, 0.0, -0.12]}


def vehicle_body(model: Model, bodies: Sequence[str]) -> str | None:
    """The body that carries the wheels or propellers of a vehicle: the one that moves freely."""
    screws = any(element.type == "propeller" for element in model.elements)
    discs = any(isinstance(loop.type, RollingDisc) for loop in model.loops)
    return _free_body(model, bodies) if model.wheels or screws or discs else None


def traveller(model: Model, bodies: Sequence[str]) -> str | None:
    """The body that a camera goes along with: of a vehicle, or what carries all of a machine that is free."""
    alone = sum(body.parent == WORLD for body in model.bodies) == 1
    return vehicle_body(model, bodies) or (_free_body(model, bodies) if alone else None)


def _free_body(model: Model, bodies: Sequence[str]) -> str | None:
    free = next((number for number, joint in enumerate(model.joints) if joint.type.nv == 6), None)
    return next((frame.name for frame in model.frames if frame.body == free and frame.name in bodies), None)
