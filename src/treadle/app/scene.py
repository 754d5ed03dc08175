"""A machine and its surroundings on the page: one node per moving body, which is all that moves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import trimesh
import viser
from scipy.spatial.transform import Rotation

from treadle.app.meshes import Mesh, machine_meshes, scenery_meshes
from treadle.app.motion import Motion
from treadle.dynamics.compiled import frame_poses
from treadle.errors import ModelError
from treadle.joints import RollingDisc
from treadle.model.hydrodynamics import the_fluid
from treadle.model.model import WORLD, Model

__all__ = ["Scene", "facing", "surface"]

#: Where the camera stands, seen from the middle of the machine, in sizes of the machine.
_EYE = 1.15 * np.array([0.9, 1.0, 0.55])

#: Where it stands in a room, and what it looks at: parts of its length from the rear, of its width from the
#: right, of its height. The machine is then to the left of the panel.
_EYE_INSIDE, _LOOK_INSIDE = np.array([0.408, 0.229, 0.647]), np.array([0.85, 0.35, 0.26])


#: Colours of the ground under vehicles and under other machines, and of the lines on it.
_SOIL, _FLOOR = ((196, 184, 165), (168, 154, 134)), ((226, 230, 234), (186, 194, 202))
_BED = (104, 138, 140), (84, 118, 124)
_GROUNDS = {"day": _SOIL, "hall": _FLOOR, "tunnel": _FLOOR}

#: Density (kg/m3) above which a fluid is a liquid, and depth of its bed below a machine, in sizes of it.
_LIQUID, _DEPTH = 100.0, 0.8

#: Corners of bodies that are told apart; of more only the box around all of them is kept.
_MOST_CORNERS = 2000

#: Distance from the bodies, in sizes of the machine, within which views show what is fixed to the world.
_NEAR = 4.0


class Scene:
    """The nodes of a machine; `show(q)` moves them to where the bodies are."""

    def __init__(
        self,
        server: viser.ViserServer,
        model: Model,
        path: str = "/machine",
        around: Literal["own", "ground", "nothing"] = "own",
        under: str = "",
    ) -> None:
        self._server, self._model = server, model
        #: the node that all others hang on: one of its own for every machine that takes the place of another.
        #: viser merges the removal of a node into the creation of one with the same name, and pages would
        #: keep the children, the pose and the visibility of the old one
        self.under = under
        path = under + path
        #: the node that all bodies hang on
        self.root = server.scene.add_frame(path, show_axes=False)
        root = path
        meshes, self.faults = machine_meshes(model)
        near = self._near(meshes)
        # a node stands at the first frame of its body, whose pose is among the frames' poses
        numbers = {frame.body: k for k, frame in reversed(list(enumerate(model.frames)))}
        #: what can be seen of every body, by the name of its node
        self.meshes: dict[str, list[viser.MeshHandle]] = {}
        # corners of the boxes around what can be seen of every body, in the axes of its node
        self._corners: dict[str, np.ndarray] = {}
        #: nodes of the moving bodies by the name of their frame
        self.nodes: dict[str, viser.FrameHandle] = {}
        self._numbers: list[int] = []
        for body, number in numbers.items():
            frame = model.frames[number]
            path = f"{root}/{frame.name.replace('/', ' ')}"
            if body == WORLD:
                self.meshes[frame.name] = self._add(path, meshes.get(body, []))
                self._corners[frame.name] = _corners(near, np.eye(4))
                continue
            node = server.scene.add_frame(path, show_axes=False)
            pose = frame.placement.inverse().to_matrix()
            self.meshes[frame.name] = self._add(path, meshes.get(body, []), pose)
            self._corners[frame.name] = _corners(meshes.get(body, []), pose)
            self.nodes[frame.name] = node
            self._numbers.append(number)
        if WORLD not in numbers:
            self._add(f"{root}/world", meshes.get(WORLD, []))
            self._corners[""] = _corners(near, np.eye(4))
        #: roughness and metalness by name of node, which pages give to the meshes on it
        self.surfaces: dict[str, tuple[float, float]] = {}
        for handles in self.meshes.values():
            self.surfaces |= {handle.name: surface(handle.color) for handle in handles}
        #: nodes of the surroundings by name
        self.scenery: dict[str, viser.FrameHandle] = {}
        #: opposite corners of the box around the machine where it starts (m)
        self.bounds = low, high = self._bounds({**meshes, WORLD: near})
        #: and around its surroundings, where it has some
        self.inside = inside = self._add_scenery(self._surroundings() if around == "own" else {})
        #: the ground, where there are no surroundings
        self.ground: viser.GridHandle | None = None
        #: lights that can cast shadows
        self.lamps: list[viser.DirectionalLightHandle] = []
        if around != "nothing":
            if inside is None:
                self._add_ground(low, high)
            self._add_lights()
            self._place_camera(low, high, inside)
        self._motion = Motion(server, tuple(self.nodes.values()), float((high - low).max()))
        self.show(np.array(model.initial()[0]))

    def show(self, q: np.ndarray) -> None:
        """Move the nodes of the bodies that moved."""
        poses = frame_poses(self._model, q)[self._numbers]
        if not len(poses):
            return
        quaternions = Rotation.from_matrix(poses[:, :3, :3]).as_quat(scalar_first=True)
        self._motion.show(np.hstack([poses[:, :3, 3], quaternions]))

    def pose(self, name: str) -> np.ndarray:
        """4 x 4 pose of a node as it is shown, by the name of its frame."""
        pose = np.eye(4)
        node = self.nodes.get(name)
        if node is not None:
            pose[:3, :3] = Rotation.from_quat(node.wxyz, scalar_first=True).as_matrix()
            pose[:3, 3] = node.position
        return pose

    def corners(self) -> np.ndarray:
        """Corners (n, 3) of boxes around the bodies where they are shown (m, world)."""
        found = [self.pose(name)[:3, 3][None] for name in self.nodes]
        for name, corners in self._corners.items():
            X = self.pose(name)
            found.append(corners @ X[:3, :3].T + X[:3, 3])
        points = np.vstack(found) if found else np.array(self.bounds)
        if len(points) > _MOST_CORNERS:
            points = _box_corners(points)
        # a machine in a point still has a size
        return np.vstack([points, *self.bounds]) if np.ptp(points, axis=0).max() < 0.1 else points

    def body_corners(self, name: str) -> np.ndarray:
        """Corners (n, 3) of boxes around what can be seen of a body, in the axes of its node (m)."""
        return self._corners.get(name, np.zeros((0, 3)))

    def remove(self) -> None:
        """Take everything off the page."""
        self._server.scene.reset()

    def _add(
        self,
        path: str,
        meshes: list[Mesh],
        pose: np.ndarray | None = None,
        side: Literal["front", "double"] = "double",
        cast: bool = True,
    ) -> list[viser.MeshHandle]:
        X = np.eye(4) if pose is None else pose
        handles = []
        for number, (points, triangles, color) in enumerate(meshes):
            opacity = None if len(color) < 4 or color[3] >= 1.0 else float(color[3])
            handle = self._server.scene.add_mesh_simple(
                f"{path}/{number}",
                points @ X[:3, :3].T + X[:3, 3],
                triangles,
                color=tuple(color[:3]),  # type: ignore[arg-type]
                opacity=opacity,
                side=side,
                cast_shadow=cast,
            )
            handles.append(handle)
        return handles

    def _add_ground(self, low: np.ndarray, high: np.ndarray) -> None:
        height = min(float(low[2]), 0.0)
        fluid = the_fluid(self._model)
        wet = fluid is not None and fluid.density > _LIQUID
        if wet and "terrain" not in self._model.settings:
            # the bed of the water is below what floats in it
            height -= _DEPTH * float((high - low).max())
        cell = 10.0 ** np.floor(np.log10(max(float((high - low).max()), 1e-3)))
        plane, lines = _BED if wet else _GROUNDS[self.sky]
        self.ground = self._server.scene.add_grid(
            f"{self.under}/ground",
            infinite_grid=True,
            cell_size=0.5 * cell,
            section_size=cell,
            fade_distance=18.0 * float((high - low).max()),
            position=(0.0, 0.0, height - 2e-3),
            plane_color=plane,
            plane_opacity=1.0,
            cell_color=lines,
            section_color=lines,
            shadow_opacity=0.45,
        )

    def _surroundings(self) -> dict[str, list[Mesh]]:
        try:
            return scenery_meshes(self._model)
        except ModelError as error:
            self.faults.append(f"{self._model.settings['scenery']} ({error.message})")
            return {}

    def _add_scenery(self, components: dict[str, list[Mesh]]) -> np.ndarray | None:
        """The box (2, 3) around the surroundings, None where there are none."""
        for name, meshes in components.items():
            path = f"{self.under}/scenery/{name.replace('/', ' ')}"
            self.scenery[name] = self._server.scene.add_frame(path, show_axes=False)
            # seen from the machine's side alone: nothing hides it from a camera outside
            # and to let the lamps in
            self._add(path, [facing(mesh, *self.bounds) for mesh in meshes], side="front", cast=False)
        points = [mesh.points for meshes in components.values() for mesh in meshes]
        return np.array([np.vstack(points).min(axis=0), np.vstack(points).max(axis=0)]) if points else None

    def _place_camera(self, low: np.ndarray, high: np.ndarray, inside: np.ndarray | None) -> None:
        """Before the machine, beside it and above it; within what surrounds it, behind it."""
        middle, camera = 0.5 * (low + high), self._server.initial_camera
        if inside is None:
            camera.position, camera.fov = middle + float((high - low).max()) * _EYE, np.radians(45.0)
            camera.look_at = middle
        else:
            size = inside[1] - inside[0]
            camera.position, camera.fov = inside[0] + _EYE_INSIDE * size, np.radians(65.0)
            camera.look_at = inside[0] + _LOOK_INSIDE * size

    def has_frame(self, name: str) -> bool:
        """Whether the machine has a frame of that name."""
        return any(frame.name == name for frame in self._model.frames)

    @property
    def sky(self) -> str:
        """What is behind everything: a tunnel, the sea, the day over vehicles and boats, or a hall."""
        fluid = the_fluid(self._model)
        if self.inside is not None:
            return "tunnel"
        if fluid is not None and fluid.density > _LIQUID:
            return "day" if fluid.surface is not None and fluid.surface < self.bounds[1][2] else "sea"
        rolls = any(isinstance(loop.type, RollingDisc) for loop in self._model.loops)
        return "day" if self._model.wheels or rolls else "hall"

    def _add_lights(self) -> None:
        """A sky and a sun with shadows; in a room two lamps instead of the sun."""
        scene, inside = self._server.scene, self.inside is not None
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map(None)
        scene.add_light_hemisphere(
            f"{self.under}/lights/sky", ground_color=(120, 115, 110), intensity=2.4 if inside else 1.7
        )
        if inside:
            for name, place, cast in (("front", (5.0, 2.0, 4.0), False), ("rear", (-3.0, 2.0, 6.0), True)):
                path = f"{self.under}/lights/{name}"
                lamp = scene.add_light_directional(path, intensity=1.5, position=place, cast_shadow=cast)
                self.lamps.append(lamp)
        else:
            self.lamps.append(
                scene.add_light_directional(
                    f"{self.under}/lights/sun", intensity=2.3, position=(6.0, 3.5, 7.5), cast_shadow=True
                )
            )

    def _near(self, meshes: dict[int, list[Mesh]]) -> list[Mesh]:
        """Meshes of the world that are framed with the machine: at most `_NEAR` sizes from its bodies."""
        fixed = meshes.get(WORLD, [])
        moving = {body: items for body, items in meshes.items() if body != WORLD and items}
        if not moving:
            return fixed
        low, high = self._bounds(moving)
        reach = _NEAR * float((high - low).max())
        return [
            mesh
            for mesh in fixed
            if len(mesh.points)
            and (mesh.points.max(axis=0) <= high + reach).all()
            and (mesh.points.min(axis=0) >= low - reach).all()
        ]

    def _bounds(self, meshes: dict[int, list[Mesh]]) -> tuple[np.ndarray, np.ndarray]:
        """Opposite corners of the box around meshes of bodies where the machine starts."""
        poses = frame_poses(self._model, self._model.initial()[0])
        X_WB = {WORLD: np.eye(4)}
        for frame, pose in zip(self._model.frames, poses, strict=True):
            if frame.body != WORLD:
                X_WB.setdefault(frame.body, pose @ frame.placement.inverse().to_matrix())
        corners = [pose[:3, 3][None] for pose in poses] or [np.zeros((1, 3))]
        for body, items in meshes.items():
            X = X_WB[body]
            corners += [mesh.points @ X[:3, :3].T + X[:3, 3] for mesh in items]
        points = np.vstack(corners)
        low, high = points.min(axis=0), points.max(axis=0)
        # a machine in a point still has a size
        return low, np.maximum(high, low + 0.1)


def surface(color: Sequence[float]) -> tuple[float, float]:
    """Roughness and metalness of what has a colour (0 to 255): rubber, bare steel, paint, or dull."""
    brightest, darkest = max(color[:3]) / 255.0, min(color[:3]) / 255.0
    saturation = 0.0 if brightest == 0.0 else 1.0 - darkest / brightest
    if brightest < 0.3 and saturation < 0.4:
        return 0.9, 0.0
    if saturation < 0.16 and brightest < 0.9:
        return 0.42, 0.5
    return (0.36, 0.05) if saturation > 0.35 else (0.6, 0.0)


def _corners(meshes: list[Mesh], X: np.ndarray) -> np.ndarray:
    """Corners (n, 3) of the boxes around meshes of a body, in the axes of its node."""
    boxes = [_box_corners(mesh.points) for mesh in meshes if len(mesh.points)]
    return np.vstack(boxes) @ X[:3, :3].T + X[:3, 3] if boxes else np.zeros((0, 3))


def _box_corners(points: np.ndarray) -> np.ndarray:
    return np.array(list(itertools.product(*np.column_stack([points.min(axis=0), points.max(axis=0)]))))


def facing(mesh: Mesh, low: np.ndarray, high: np.ndarray) -> Mesh:
    """The triangles of a solid that face the middle of a box; those of an open surface are turned to it."""
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    center, normal = (a + b + c) / 3.0, np.cross(b - a, c - a)
    middle, half = 0.5 * (low + high), 0.25 * (high - low)
    away = ((np.clip(center, middle - half, middle + half) - center) * normal).sum(axis=1) <= 0.0
    solid = trimesh.Trimesh(mesh.points, mesh.triangles, process=False)
    solid.merge_vertices()
    if solid.is_watertight:
        return mesh._replace(triangles=mesh.triangles[~away])
    return mesh._replace(triangles=np.where(away[:, None], mesh.triangles[:, ::-1], mesh.triangles))
