"""What is drawn over a machine: axes of bodies and joints, the centre of mass, trails."""

from __future__ import annotations

from collections import deque

import numpy as np
import viser

from treadle.app.scene import Scene
from treadle.dynamics.compiled import center_of_mass
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

__all__ = ["CenterOfMass", "Trail", "joint_axes", "show_frames"]

#: Sizes of what is drawn, in sizes of the machine.
_AXIS, _BALL = 0.08, 0.012

#: Points of a trail, and how far apart they are at least, in sizes of the machine.
_POINTS, _APART = 500, 2e-3


def size(scene: Scene) -> float:
    """The longest side of the machine (m)."""
    low, high = scene.bounds
    return float((high - low).max())


def show_frames(scene: Scene, shown: bool) -> None:
    """Show or hide the axes of the bodies: x red, y green, z blue."""
    length = _AXIS * size(scene)
    for node in scene.nodes.values():
        node.axes_length, node.axes_radius, node.origin_radius = length, 0.04 * length, 0.08 * length
        node.show_axes = shown


def joint_axes(server: viser.ViserServer, scene: Scene, model: Model) -> list[viser.ArrowsHandle]:
    """An arrow along the axis of every joint that has one, on the body that it moves."""
    length = 0.7 * _AXIS * size(scene)
    handles = []
    for number, joint in enumerate(model.joints):
        axis = getattr(joint.type, "axis", None)
        frame = next((f for f in model.frames if f.body == number and f.name in scene.nodes), None)
        if axis is None or frame is None:
            continue
        # the frame of a body stands at its joint; its node at the first frame of the body
        X = frame.placement.inverse().to_matrix()
        direction = X[:3, :3] @ np.array(list(axis), dtype=np.float64)
        ends = np.array([X[:3, 3] - length * direction, X[:3, 3] + length * direction])
        handles.append(
            server.scene.add_arrows(
                f"{scene.nodes[frame.name].name}/axis of {joint.name.replace('/', ' ')}",
                ends[None],
                colors=(200, 60, 160),
                shaft_radius=0.02 * length,
                head_radius=0.06 * length,
                head_length=0.15 * length,
            )
        )
    return handles


class CenterOfMass:
    """A ball at the centre of mass of the whole machine."""

    def __init__(self, server: viser.ViserServer, scene: Scene) -> None:
        radius = _BALL * size(scene)
        self.ball = server.scene.add_icosphere(
            f"{scene.under}/overlay/centre of mass", radius, (230, 60, 60), visible=False
        )

    def frame(self, model: Model, q: np.ndarray) -> None:
        """Move it to where it is at q."""
        if self.ball.visible:
            self.ball.position = center_of_mass(model, q)


class Trail:
    """The way that the origin of a body has taken."""

    def __init__(self, server: viser.ViserServer, scene: Scene, body: str) -> None:
        self.body, self._scene, self._apart = body, scene, _APART * size(scene)
        self.points: deque[np.ndarray] = deque([scene.pose(body)[:3, 3]], maxlen=_POINTS)
        self.line = server.scene.add_line_segments(
            f"{scene.under}/overlay/trail of {body.replace('/', ' ')}",
            np.zeros((1, 2, 3)),
            colors=(220, 120, 20),
        )

    def frame(self, sim: Simulation) -> None:
        """Add a point if the body has moved on."""
        place = self._scene.pose(self.body)[:3, 3]
        if np.linalg.norm(place - self.points[-1]) > self._apart:
            self.points.append(place)
            way = np.array(self.points)
            self.line.points = np.stack([way[:-1], way[1:]], axis=1)
