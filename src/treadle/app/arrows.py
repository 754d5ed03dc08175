"""A load as something to take hold of: an arrow for a force, an arc for a torque, a ball for a pull."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from scipy.spatial.transform import Rotation

from treadle.app.loads import Load, Spring, newtons
from treadle.app.overlays import size
from treadle.app.scene import Scene

__all__ = ["LoadArrow"]

#: Length of the arrow of a force that equals the machine's weight, in sizes of the machine.
_WEIGHT_LENGTH = 1.5


class LoadArrow:
    """Draws a load where its body is; the handle at its tip changes it, and then calls `changed`."""

    def __init__(
        self,
        server: viser.ViserServer,
        scene: Scene,
        name: str,
        load: Load | Spring,
        weight: float,
        changed: Callable[[], None],
    ) -> None:
        self._scene, self._load, self._changed = scene, load, changed
        self._length = length = size(scene)
        #: metres per newton, or per newton metre
        self.scale = _WEIGHT_LENGTH * length / max(weight, 1e-6)
        path = f"{scene.under}/overlay/{name}"
        self._held = False
        self.arrow = server.scene.add_arrows(
            path,
            np.zeros((1, 2, 3)),
            colors=(30, 110, 220),
            shaft_radius=0.005 * length,
            head_radius=0.015 * length,
            head_length=0.04 * length,
        )
        self.arc: viser.SplineCatmullRomHandle | None = None
        self.ball: viser.IcosphereHandle | None = None
        if isinstance(load, Load) and load.kind == "torque":
            self.arc = server.scene.add_spline_catmull_rom(
                f"{path} arc",
                _arc(0.06 * length),
                color=(30, 110, 220),
                thickness=3.0,
                thickness_units="screen",
            )
        self.label = server.scene.add_label(f"{path} label", "")
        self.handle = server.scene.add_transform_controls(
            f"{path} handle", scale=0.12 * length, disable_rotations=True, depth_test=False
        )
        if isinstance(load, Spring):
            self.ball = server.scene.add_icosphere(f"{path} ball", 0.02 * length, (30, 110, 220))
        self.handle.on_update(self._moved())

    def frame(self) -> None:
        """Follow the body."""
        load = self._load
        pose = self._scene.pose(load.body)
        root = (pose @ np.array([*load.point, 1.0]))[:3]
        if isinstance(load, Spring):
            tip = np.array(load.target)
            text = newtons(float(np.linalg.norm(load.force)))
            if self.ball is not None:
                self.ball.position = tip
        else:
            vector = self._vector(load, pose)
            tip = root + self.scale * vector
            unit = " m" if load.kind == "torque" else ""
            text = newtons(float(np.linalg.norm(vector))) + unit
            if self.arc is not None:
                self.arc.position, self.arc.wxyz = 0.5 * (root + tip), _turned(vector)
        self.arrow.points = np.array([[root, tip]], dtype=np.float32)
        self.label.position, self.label.text = tip, text
        if not self._held:
            self.handle.position = tip

    def remove(self) -> None:
        """Take it off the page."""
        for node in (self.arrow, self.label, self.handle, self.arc, self.ball):
            if node is not None:
                node.remove()

    def _vector(self, load: Load, pose: np.ndarray) -> np.ndarray:
        """Force or torque in world axes."""
        vector = np.array(load.vector)
        return pose[:3, :3] @ vector if load.axes == "body" else vector

    def _moved(self) -> Any:
        async def moved(event: Any) -> None:
            self._held = event.phase != "end"
            self.take(np.array(event.target.position))

        return moved

    def take(self, tip: np.ndarray) -> None:
        """Make the load what the handle at its tip (m, world) says."""
        load = self._load
        if isinstance(load, Spring):
            load.target = tuple(tip.tolist())
        else:
            pose = self._scene.pose(load.body)
            root = (pose @ np.array([*load.point, 1.0]))[:3]
            vector = (tip - root) / self.scale
            if load.axes == "body":
                vector = pose[:3, :3].T @ vector
            load.vector = tuple(vector.tolist())
        self._changed()


def _arc(radius: float) -> np.ndarray:
    """Three quarters of a circle about z."""
    angles = np.linspace(0.0, 1.5 * np.pi, 24)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), 0.0 * angles], axis=1)


def _turned(direction: np.ndarray) -> np.ndarray:
    """The quaternion that turns z to a direction."""
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return Rotation.align_vectors([direction / length], [[0.0, 0.0, 1.0]])[0].as_quat(scalar_first=True)
