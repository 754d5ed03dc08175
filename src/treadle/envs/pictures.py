"""Pictures of worlds by rays, for `render()`: a camera that keeps the machine in sight."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.envs.worlds import TaskWorlds
from treadle.errors import InputError
from treadle.model.model import Model
from treadle.sensors.camera import Camera, Intrinsics
from treadle.sensors.rays.scene import RayScene
from treadle.terrain import Terrain

__all__ = ["RENDER_MODES", "Pictures", "WorldPictures", "check_render_mode"]

#: What Gymnasium may ask for.
RENDER_MODES = ["rgb_array"]

#: Pixels of a picture, its horizontal angle of view (rad), and rays per pixel and axis.
_WIDTH, _HEIGHT, _ANGLE, _SAMPLES = 480, 360, np.radians(50.0), 2

#: Direction from the machine to the camera, distance in sizes of the machine, and share of its size by which
#: the machine may leave the middle of the picture.
_FROM, _DISTANCE, _LEEWAY = (0.45, -1.0, 0.4), 1.3, 0.1


def check_render_mode(mode: str | None) -> str | None:
    """The mode; InputError where there is none of this name."""
    if mode is not None and mode not in RENDER_MODES:
        raise InputError(f"render_mode must be None or {', '.join(map(repr, RENDER_MODES))}, not {mode!r}")
    return mode


class Pictures:
    """A camera for one machine, which goes along with it."""

    def __init__(self, model: Model, terrain: Terrain | None = None) -> None:
        self._scene = RayScene(model, terrain=terrain, surroundings=False, boxes=True)
        self._camera = Camera(Intrinsics.from_angle(_WIDTH, _HEIGHT, _ANGLE), samples=_SAMPLES)
        #: of the machine in the first picture, and what the camera looks at
        self._size, self._middle = 0.0, np.zeros(3)

    def take(self, q: np.ndarray) -> np.ndarray:
        """The machine at q: height x width x 3, 8 bits."""
        self._scene.place(q)
        low, high = self._bounds()
        if self._size == 0.0:
            self._size, self._middle = float(np.linalg.norm(high - low)), 0.5 * (low + high)
        away, leeway = 0.5 * (low + high) - self._middle, _LEEWAY * self._size
        self._middle += away - np.clip(away, -leeway, leeway)
        return self._camera.picture(self._scene, self._pose()).rgb

    def _pose(self) -> np.ndarray:
        """Pose (4, 4) of a camera that looks along its x axis at the machine."""
        pose, back = np.eye(4), np.array(_FROM) / np.linalg.norm(_FROM)
        left = np.cross((0.0, 0.0, 1.0), -back)
        left /= np.linalg.norm(left)
        pose[:3, 0], pose[:3, 1], pose[:3, 2] = -back, left, np.cross(-back, left)
        pose[:3, 3] = self._middle + _DISTANCE * self._size * back
        return pose

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of a box around all that moves."""
        nodes, roots, found = self._scene.geometry.nodes, self._scene.geometry.roots, [np.zeros((0, 3))]
        for body in range(1, len(roots)):
            if roots[body] >= 0:
                low, high = nodes[roots[body], :3], nodes[roots[body], 3:6]
                corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
                pose = self._scene.poses[0, body]
                found.append(corners @ pose[:9].reshape(3, 3).T + pose[9:])
        points = np.concatenate(found)
        return (points.min(axis=0), points.max(axis=0)) if len(points) else (-np.ones(3), np.ones(3))


class WorldPictures:
    """Pictures of the worlds of a task, each by its own camera."""

    def __init__(self, worlds: TaskWorlds, mode: str | None) -> None:
        self._worlds, self._mode = worlds, mode
        self._cameras: dict[int, Pictures] = {}

    def take(self, world: int) -> np.ndarray:
        """A world where it is; InputError where nobody asked for pictures."""
        if self._mode is None:
            raise InputError('make the environment with render_mode="rgb_array" to render it')
        if world not in self._cameras:
            model, terrain = self._worlds.task.machine(), self._worlds.task.options.get("terrain")
            self._cameras[world] = Pictures(model, terrain)
        return self._cameras[world].take(self._worlds.batch.q[world])

    def __reduce__(self) -> Any:
        """Copies have cameras of their own."""
        return WorldPictures, (self._worlds, self._mode)
