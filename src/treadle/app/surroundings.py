"""What acts on a machine, drawn: surface and current of its fluid, springs, tendons, forces of elements."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import viser

from treadle.app.overlays import size
from treadle.app.scene import Scene
from treadle.dynamics.kinematics import world_transforms
from treadle.forces.current import Current
from treadle.forces.element import element_loads
from treadle.forces.frames import frame_motion
from treadle.forces.tendon import tendon_lines
from treadle.model.attachments import Loop
from treadle.model.hydrodynamics import Fluid, the_fluid
from treadle.model.model import WORLD, Model
from treadle.sim.simulation import Simulation
from treadle.spatial import Vec3

__all__ = [
    "Surroundings",
    "current_arrows",
    "element_lines",
    "force_arrows",
    "is_tie",
    "surface_points",
]

#: Points of the surface along a side, and its extent in sizes of the machine: with waves, and level.
_GRID, _EXTENT, _LEVEL_EXTENT = 24, 6.0, 24.0

#: Arrows of the current along a side.
_ARROWS = 3

_WATER, _FLOW, _CABLE, _FORCE = (60, 130, 200), (40, 110, 190), (180, 90, 20), (150, 40, 140)


def surface_points(fluid: Fluid, middle: np.ndarray, extent: float, time: float, g: float) -> np.ndarray:
    """Grid (n, n, 3) of a fluid's surface around a place, lifted by its waves."""
    steps = np.linspace(-0.5 * extent, 0.5 * extent, _GRID)
    x, y = np.meshgrid(middle[0] + steps, middle[1] + steps, indexing="ij")
    height = np.full_like(x, fluid.surface or 0.0)
    for amplitude, frequency, direction, phase in fluid.waves:
        along = x * math.cos(direction) + y * math.sin(direction)
        height = height + amplitude * np.cos(frequency**2 / g * along - frequency * time + phase)
    return np.stack([x, y, height], axis=-1)


def current_arrows(fluid: Fluid, low: np.ndarray, high: np.ndarray, time: float) -> np.ndarray:
    """Starts and ends (n, 2, 3) of arrows along the current in a box, the fastest a third of its side."""
    current = Current(fluid.current, fluid.profile)
    axes = [np.linspace(a, b, _ARROWS) for a, b in zip(low, high, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    flows = np.array([list(current.at(Vec3(*place.tolist()), time)) for place in places], dtype=float)
    fastest = np.linalg.norm(flows, axis=1).max()
    if fastest == 0.0:
        return np.zeros((0, 2, 3))
    scale = float((high - low).max()) / (3.0 * fastest)
    return np.stack([places, places + scale * flows], axis=1)


def element_lines(model: Model, q: np.ndarray) -> np.ndarray:
    """Segments (n, 2, 3) of springs and others between two frames, tendons, rods and ropes, in the world."""
    rest, at = [0.0] * model.nv, q.tolist()
    segments: list[list[list[float]]] = []
    for element in model.elements:
        if len(element.bodies) == 2:
            places = zip(element.bodies, element.placements, strict=True)
            ends = [frame_motion(model, at, rest, WORLD, *place).position for place in places]
            segments.append([[float(x) for x in end] for end in ends])  # type: ignore[arg-type]
    for tendon in model.tendons:
        for branch in tendon_lines(model, tendon, at):
            points = [[float(x) for x in point] for point in branch]  # type: ignore[arg-type]
            segments += [[a, b] for a, b in pairwise(points)]
    ties = [loop for loop in model.loops if is_tie(loop)]
    poses = world_transforms(model, at) if ties else []
    for loop in ties:
        ends = (loop.predecessor, loop.predecessor_placement), (loop.successor, loop.successor_placement)
        places = [
            X.to_matrix() if body == WORLD else poses[body].to_matrix() @ X.to_matrix() for body, X in ends
        ]
        segments.append([X[:3, 3].tolist() for X in places])
    return np.array(segments, dtype=float).reshape(-1, 2, 3)


def is_tie(loop: Loop) -> bool:
    """Whether a loop is a rod or a rope between two points."""
    return loop.type is not None and loop.type.kind in ("distance", "rope")


def force_arrows(model: Model, q: np.ndarray, v: np.ndarray, time: float, scale: float) -> np.ndarray:
    """Starts and ends (n, 2, 3) of arrows: the force of all elements on each body, at its centre of mass."""
    poses = world_transforms(model, q.tolist())
    arrows = []
    for body, wrench in element_loads(model, q.tolist(), v.tolist(), time).items():
        X, I = poses[body].to_matrix(), model.bodies[body].inertia
        mass = max(float(I.mass), 1e-12)  # type: ignore[arg-type]
        center = X[:3, :3] @ (np.array(list(I.moment), dtype=float) / mass) + X[:3, 3]
        force = X[:3, :3] @ np.array(list(wrench.linear), dtype=float)
        arrows.append([center, center + scale * force])
    return np.array(arrows, dtype=float).reshape(-1, 2, 3)


class Surroundings:
    """Nodes of all of these; `draw` brings those that are shown to the state of a simulation."""

    def __init__(self, server: viser.ViserServer, scene: Scene, model: Model) -> None:
        length = self._size = size(scene)
        self._low, self._high = scene.bounds
        self._under = f"{scene.under}/overlay"
        self._server = server
        mass = sum(float(link.mass) for link in model.links)  # type: ignore[arg-type]
        self._g = float(np.linalg.norm(model.gravity)) or 9.81
        self._scale = length / (max(mass, 1e-6) * self._g)
        #: what is shown, by name
        self.shown = {"surface": True, "current": True, "springs and tendons": True, "forces": False}
        self._surface: viser.MeshHandle | None = None
        self._arrows: dict[str, viser.ArrowsHandle] = {}
        self._lines: viser.LineSegmentsHandle | None = None

    def draw(self, sim: Simulation, q: np.ndarray) -> None:
        """Bring everything up to date; several times per second."""
        model, fluid = sim.model, the_fluid(sim.model)
        low, high = self._low, self._high
        self._draw_surface(fluid, sim.time)
        seen = fluid is not None and self._wants("current", fluid)
        flow = current_arrows(fluid, low, high, sim.time) if fluid is not None and seen else None
        self._draw_arrows("current", flow, _FLOW)
        forces = force_arrows(model, q, sim.v, sim.time, self._scale) if self.shown["forces"] else None
        self._draw_arrows("forces", forces, _FORCE)

    def frame(self, sim: Simulation, q: np.ndarray) -> None:
        """Move springs and tendons with the bodies."""
        wanted = self.shown["springs and tendons"] and (sim.model.tendons or self._joined(sim.model))
        points = element_lines(sim.model, q) if wanted else np.zeros((0, 2, 3))
        if self._lines is None and len(points):
            self._lines = self._server.scene.add_line_segments(
                f"{self._under}/springs and tendons",
                points.astype(np.float32),
                colors=_CABLE,
                thickness=4.0,
                thickness_units="screen",
            )
        elif self._lines is not None:
            self._lines.visible = bool(len(points))
            if len(points):
                self._lines.points = points.astype(np.float32)

    @staticmethod
    def _joined(model: Model) -> bool:
        return any(len(element.bodies) == 2 for element in model.elements) or any(map(is_tie, model.loops))

    def _wants(self, name: str, fluid: Fluid | None) -> bool:
        return self.shown[name] and fluid is not None

    def _draw_surface(self, fluid: Fluid | None, time: float) -> None:
        wanted = self._wants("surface", fluid) and fluid is not None and fluid.surface is not None
        if self._surface is not None:
            self._surface.visible = wanted
        if not wanted or fluid is None:
            return
        middle = 0.5 * (self._low + self._high)
        extent = (_EXTENT if fluid.waves else _LEVEL_EXTENT) * self._size
        points = surface_points(fluid, middle, extent, time, self._g).reshape(-1, 3)
        if self._surface is None:
            self._surface = self._server.scene.add_mesh_simple(
                f"{self._under}/surface", points.astype(np.float32), _grid_faces(), color=_WATER,
                opacity=0.35, side="double", cast_shadow=False,
            )  # fmt: skip
        else:
            self._surface.vertices = points.astype(np.float32)

    def _draw_arrows(self, name: str, ends: np.ndarray | None, color: tuple[int, int, int]) -> None:
        there = ends is not None and len(ends) > 0
        handle = self._arrows.get(name)
        if handle is not None:
            handle.visible = there
        if not there or ends is None:
            return
        if handle is None:
            length = self._size
            self._arrows[name] = self._server.scene.add_arrows(
                f"{self._under}/{name}", ends.astype(np.float32), colors=color, shaft_radius=0.006 * length,
                head_radius=0.018 * length, head_length=0.04 * length,
            )  # fmt: skip
        else:
            handle.points = ends.astype(np.float32)


def _grid_faces() -> np.ndarray:
    corner = (np.arange(_GRID - 1)[:, None] * _GRID + np.arange(_GRID - 1)).reshape(-1)
    first = np.stack([corner, corner + _GRID, corner + _GRID + 1], axis=1)
    second = np.stack([corner, corner + _GRID + 1, corner + 1], axis=1)
    return np.concatenate([first, second])
