"""What sensors see, drawn over the machine: axes, beams, points of lidars, lines to satellites, zones."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
from scipy.spatial.transform import Rotation
from trimesh import creation

from treadle.app.overlays import size
from treadle.app.scene import Scene
from treadle.app.sensor_images import camera_image
from treadle.dynamics.compiled import frame_poses
from treadle.model.model import WORLD, Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import SensorKind
from treadle.sim.simulation import Simulation

__all__ = ["SensorDrawing", "sensor_pose"]

#: Length of the axes in sizes of the machine; colours of beams, of satellites in view and of hidden ones.
_AXES = 0.06
BEAM, VISIBLE, HIDDEN = (230, 60, 40), (40, 110, 230), (220, 50, 50)

#: Length of lines to satellites (m).
_SKY = 150.0

#: Cameras of the page look along z with x to the right: their axes in ours, as a quaternion.
_LOOKING = (0.5, -0.5, 0.5, -0.5)


def sensor_pose(model: Model, sensor: Sensor, q: np.ndarray) -> np.ndarray:
    """X_WS (4, 4) of a sensor that is on a link or frame."""
    X_BS = sensor.placement.to_matrix()
    if sensor.body == WORLD:
        return X_BS
    number = next(k for k, frame in enumerate(model.frames) if frame.body == sensor.body)
    X_WB = frame_poses(model, q)[number] @ model.frames[number].placement.inverse().to_matrix()
    return X_WB @ X_BS


class SensorDrawing:
    """The drawing of one sensor on a link or frame; `show` moves it and draws its last sample."""

    def __init__(self, server: viser.ViserServer, scene: Scene, sim: Simulation, name: str) -> None:
        self.name, self._server = name, server
        self._sensor = sim.model.sensor(name)
        assert sim.sampling is not None
        self._kind: SensorKind = sim.sampling.bank.readings[name].kind
        self._under = f"{scene.under}/overlay/sensor {name.replace('/', ' ')}"
        self._length = length = _AXES * size(scene)
        self.axes = server.scene.add_frame(
            self._under, axes_length=length, axes_radius=0.04 * length, origin_radius=0.1 * length
        )
        if self._sensor.parameters.get("zone") is not None:
            self._add_zone()
        #: points of a lidar or lines of beams and to satellites, in the world
        self.points: Any = None
        self.lines: Any = None
        #: what a camera sees, before it
        self.frustum: Any = None
        #: when the sample was taken that is drawn (s)
        self._drawn: float | None = None

    def show(self, sim: Simulation, q: np.ndarray) -> None:
        """Bring the drawing to the state."""
        X = sensor_pose(sim.model, self._sensor, q)
        self.axes.position = X[:3, 3]
        x, y, z, w = Rotation.from_matrix(X[:3, :3]).as_quat()
        self.axes.wxyz = (w, x, y, z)
        draw = {
            "lidar": self._lidar,
            "range_finder": self._beam,
            "ultrasonic": self._beam,
            "gps": self._sky,
            "camera": self._frustum,
        }
        if self._sensor.type in draw:
            draw[self._sensor.type](sim, X)

    def remove(self) -> None:
        """Take it off the page."""
        for handle in (self.axes, self.points, self.lines):
            if handle is not None:
                handle.remove()

    def _add_zone(self) -> None:
        """The zone of a touch sensor, which moves along with its axes."""
        kind, size = self._sensor.parameters["zone"], [float(x) for x in self._sensor.parameters["size"]]
        mesh = {
            "sphere": lambda: creation.icosphere(radius=size[0]),
            "ellipsoid": lambda: creation.icosphere().apply_scale(size),
            "capsule": lambda: creation.capsule(size[1], size[0]),
            "cylinder": lambda: creation.cylinder(size[0], size[1]),
            "box": lambda: creation.box(size),
        }[kind]()
        points, faces = np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32)
        self._server.scene.add_mesh_simple(f"{self._under}/zone", points, faces, color=BEAM, opacity=0.3)

    def _lidar(self, sim: Simulation, X: np.ndarray) -> None:
        device: Any = self._kind.device  # type: ignore[attr-defined]
        if self._sensor.parameters.get("gives") == "intensity":
            return
        taken = sim.sensor(self.name).time
        if self.points is not None and taken == self._drawn:
            # they stay where they were seen until the next sweep
            return
        self._drawn = taken
        beams = device.beams.reshape(-1, 3)
        distance = np.asarray(sim.sensor(self.name).value)[: len(beams)]
        echo = np.isfinite(distance)
        self._put_points((beams[echo] * distance[echo, None]) @ X[:3, :3].T + X[:3, 3])

    def _beam(self, sim: Simulation, X: np.ndarray) -> None:
        distance = float(sim.sensor(self.name).value)  # type: ignore[arg-type]
        reach = distance if np.isfinite(distance) and distance > 0.0 else 0.0
        self._put_lines(np.array([[X[:3, 3], X[:3, 3] + reach * X[:3, 0]]]), np.array([BEAM]))

    def _frustum(self, sim: Simulation, X: np.ndarray) -> None:
        """A pyramid before the camera with its picture, which moves along with its axes."""
        taken = sim.sensor(self.name).time
        if self.frustum is not None and taken == self._drawn:
            return
        self._drawn = taken
        lens: Any = self._kind.device.intrinsics  # type: ignore[attr-defined]
        image = camera_image(self._sensor.parameters, np.asarray(sim.sensor(self.name).value))
        if self.frustum is None:
            angle = 2.0 * float(np.arctan(0.5 * lens.height / lens.fy))
            shape = lens.width / lens.height * lens.fy / lens.fx
            self.frustum = self._server.scene.add_camera_frustum(
                f"{self._under}/view",
                angle,
                shape,
                scale=1.5 * self._length,
                color=BEAM,
                image=image,
                wxyz=_LOOKING,
            )
        else:
            self.frustum.image = image

    def _sky(self, sim: Simulation, X: np.ndarray) -> None:
        sky = self._kind.sky(sim.time, X[:3, 3])  # type: ignore[attr-defined]
        ways, visible = sky.directions[sky.risen], sky.visible[sky.risen]
        ends = np.stack([np.broadcast_to(X[:3, 3], ways.shape), X[:3, 3] + _SKY * ways], axis=1)
        self._put_lines(ends, np.where(visible[:, None], VISIBLE, HIDDEN))

    def _put_points(self, points: np.ndarray) -> None:
        if self.points is None:
            self.points = self._server.scene.add_point_cloud(
                f"{self._under} points", points.astype(np.float32), BEAM, point_size=0.03
            )
        else:
            self.points.points = points.astype(np.float32)
            self.points.colors = np.tile(np.array(BEAM, dtype=np.uint8), (len(points), 1))

    def _put_lines(self, ends: np.ndarray, colors: np.ndarray) -> None:
        shades = np.repeat(colors.astype(np.uint8)[:, None], 2, axis=1)
        if self.lines is not None and self.lines.points.shape == ends.shape:
            self.lines.points, self.lines.colors = ends.astype(np.float32), shades
            return
        if self.lines is not None:
            self.lines.remove()
        self.lines = self._server.scene.add_line_segments(
            f"{self._under} lines", ends.astype(np.float32), shades
        )
