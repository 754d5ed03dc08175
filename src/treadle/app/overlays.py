"""What is drawn over a machine: axes of bodies and joints, centre of mass, inertia, motions, trails."""

from __future__ import annotations

from collections import deque

import numpy as np
import trimesh
import viser

from treadle.app.scene import Scene
from treadle.dynamics.compiled import center_of_mass
from treadle.model.model import Link, Model
from treadle.sim.simulation import Simulation

__all__ = [
    "CenterOfMass",
    "MotionIcons",
    "Trail",
    "ellipsoid",
    "ellipsoids",
    "joint_axes",
    "show_frames",
    "size",
]

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


def ellipsoids(server: viser.ViserServer, scene: Scene, model: Model) -> list[viser.MeshHandle]:
    """The solid ellipsoid of the same mass and inertia as each link, on its body."""
    handles = []
    for link in model.links:
        frame = next((f for f in model.frames if f.body == link.body and f.name in scene.nodes), None)
        axes = ellipsoid(link)
        if frame is None or axes is None:
            continue
        X = frame.placement.inverse().to_matrix() @ link.placement.to_matrix()
        half, turn = axes
        ball = trimesh.creation.icosphere(subdivisions=2)
        center = np.array([float(x) for x in link.center])  # type: ignore[arg-type]
        points = (ball.vertices * half) @ turn.T + center
        handles.append(
            server.scene.add_mesh_simple(
                f"{scene.nodes[frame.name].name}/inertia of {link.name.replace('/', ' ')}",
                points @ X[:3, :3].T + X[:3, 3],
                ball.faces,
                color=(230, 140, 40),
                opacity=0.45,
                cast_shadow=False,
                receive_shadow=False,
            )
        )
    return handles


def ellipsoid(link: Link) -> tuple[np.ndarray, np.ndarray] | None:
    """Half axes (m) and their directions (columns) of the solid ellipsoid with a link's inertia.

        I_x = m (b^2 + c^2) / 5, so a^2 = 5 (I_y + I_z - I_x) / (2 m)

    None for a link without mass or extent.
    """
    mass = float(link.mass)  # type: ignore[arg-type]
    inertia = np.array([[float(x) for x in row] for row in link.rotational.to_rows()])  # type: ignore[arg-type]
    if mass <= 0.0 or not inertia.any():
        return None
    moments, turn = np.linalg.eigh(inertia)
    squares = 2.5 * (moments.sum() - 2.0 * moments) / mass
    # a rod or a plate still has to be seen
    return np.sqrt(np.maximum(squares, 1e-4 * squares.max())), turn


class MotionIcons:
    """A ball near every joint that a motion was put on, with its speed."""

    def __init__(self, server: viser.ViserServer, scene: Scene, model: Model) -> None:
        radius = 2.0 * _BALL * size(scene)
        self.labels: dict[str, viser.LabelHandle] = {}
        #: balls by name of the motion
        self.balls: dict[str, viser.IcosphereHandle] = {}
        numbers = {joint.name: number for number, joint in enumerate(model.joints)}
        for actuator in model.actuators:
            number = numbers.get(actuator.joint, -1) if actuator.name.startswith("motion_") else -1
            frame = next((f for f in model.frames if f.body == number and f.name in scene.nodes), None)
            if number < 0 or frame is None:
                continue
            path = f"{scene.nodes[frame.name].name}/{actuator.name}"
            place = frame.placement.inverse().to_matrix()[:3, 3]
            self.balls[actuator.name] = server.scene.add_icosphere(
                path, radius, (40, 160, 90), position=place
            )
            self.labels[actuator.name] = server.scene.add_label(f"{path} speed", "", position=place)

    def numbers(self, sim: Simulation) -> None:
        """Say the speeds."""
        for name, label in self.labels.items():
            text = f"{name.replace('_', ' ')}: {sim.actuator(name).command:.3g}"
            if label.text != text:
                label.text = text


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
