"""Arrows for the forces of contacts and of the ground on wheels, and friction cones, on one scale."""

from __future__ import annotations

import math

import numpy as np
import viser

from treadle.app.friction_cones import FrictionCones
from treadle.app.loads import newtons
from treadle.app.overlays import size
from treadle.app.scene import Scene
from treadle.sim.simulation import Simulation

__all__ = ["Forces", "round_force", "wheel_forces"]

#: Length of the arrow of the force that the legend names, in sizes of the machine.
_LENGTH = 0.6

#: Share of the legend's force below which the largest one has to be, and for how many frames, to adapt.
_SMALL, _PATIENCE = 0.5, 60

#: Forces whose numbers pages are sent.
_NUMBERS = 100

#: Colours of what bodies and the ground press on, and of the ground on wheels.
_CONTACT, _WHEEL = (20, 140, 60), (30, 100, 210)


class Forces:
    """Arrows from the points where forces act: of contacts on the second body, of the ground on wheels."""

    def __init__(self, server: viser.ViserServer, scene: Scene, sim: Simulation) -> None:
        self._length = length = _LENGTH * size(scene)
        mass = sum(float(link.mass) for link in sim.model.links)  # type: ignore[arg-type]
        weight = max(mass, 1e-6) * (float(np.linalg.norm(sim.model.gravity)) or 9.81)
        #: the force (N) of an arrow of the legend's length
        self.named = round_force(weight)
        #: the largest force now (N)
        self.largest = 0.0
        self._small = 0
        self.arrows = server.scene.add_arrows(
            f"{scene.under}/overlay/forces",
            np.zeros((1, 2, 3)),
            colors=_CONTACT,
            shaft_radius=0.01 * length,
            head_radius=0.03 * length,
            head_length=0.07 * length,
            visible=False,
        )
        #: of the contacts, on the same scale
        self.cones = FrictionCones(server, scene)

    @property
    def scale(self) -> float:
        """Metres per newton."""
        return self._length / self.named

    @property
    def legend(self) -> str:
        """What the arrows and cones mean; nothing where there are none."""
        scale = f"forces: {newtons(self.named)} = {self._length:.2g} m, largest {newtons(self.largest)}"
        arrows = f"{scale}; green: contacts, blue: ground on wheels" if self.arrows.visible else ""
        return "; ".join(filter(None, (arrows, self.cones.legend)))

    def frame(self, sim: Simulation) -> None:
        """Show the forces of the last step."""
        if not (self.arrows.visible or self.cones.visible):
            self.cones.frame([], self.scale)
            return
        touching = sim.contacts()
        found = [(point.position, point.force, _CONTACT) for point in touching]
        found += [(*force, _WHEEL) for force in wheel_forces(sim)]
        self.largest = max((float(np.linalg.norm(force)) for _, force, _ in found), default=0.0)
        self._adapt()
        self.cones.frame(touching, self.scale)
        if not found:
            self.arrows.points = np.zeros((1, 2, 3), dtype=np.float32)
            return
        ends = [(place, place + self.scale * force) for place, force, _ in found]
        points = np.array(ends, dtype=np.float32)
        colors = np.array([color for _, _, color in found], dtype=np.uint8)
        if points.shape != self.arrows.points.shape or not np.array_equal(colors, self.arrows.colors):
            self.arrows.colors = colors
        self.arrows.points = points

    @property
    def numbers(self) -> list[tuple[float, float, float, str]]:
        """Where the arrows begin (m, world), and the force of each, to be read."""
        if not self.arrows.visible:
            return []
        points = np.asarray(self.arrows.points, dtype=float)
        sizes = np.linalg.norm(points[:, 1] - points[:, 0], axis=1) / self.scale
        found = [
            (*point[0].tolist(), newtons(size)) for point, size in zip(points, sizes.tolist(), strict=True)
        ]
        return [item for item, size in zip(found, sizes, strict=True) if size > 0.0][:_NUMBERS]

    def _adapt(self) -> None:
        """Name a larger force at once, a smaller one when it has been small for a while."""
        self._small = self._small + 1 if 0.0 < self.largest < _SMALL * self.named else 0
        if self.largest > self.named or self._small > _PATIENCE:
            self.named, self._small = round_force(self.largest), 0


def wheel_forces(sim: Simulation) -> list[tuple[np.ndarray, np.ndarray]]:
    """Place (m) and force of the ground (N) of every wheel that it carries, in world axes."""
    found = []
    for wheel in sim.model.wheels if sim.terrain is not None else ():
        handle = sim.wheel(wheel.name)
        force = handle.force
        if force[2] <= 0.0:
            continue
        place = handle.point
        assert sim.terrain is not None
        by_x, by_y = (float(rise) for rise in sim.terrain.slope(float(place[0]), float(place[1])))
        normal = np.array([-by_x, -by_y, 1.0]) / math.sqrt(1.0 + by_x * by_x + by_y * by_y)
        frame = next(frame for frame in sim.model.frames if frame.body == wheel.body)
        X_WB = sim.body(frame.name).pose @ frame.placement.inverse().to_matrix()
        ahead = np.cross(X_WB[:3, :3] @ np.array(wheel.axis, dtype=float), normal)
        ahead /= np.linalg.norm(ahead)
        found.append((place, np.stack([ahead, np.cross(normal, ahead), normal], axis=1) @ force))
    return found


def round_force(force: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7, 10, 15 ... N."""
    power = 10.0 ** math.floor(math.log10(max(force, 1e-9)))
    return next(
        step * power for step in (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0) if step * power >= force * (1.0 - 1e-9)
    )
