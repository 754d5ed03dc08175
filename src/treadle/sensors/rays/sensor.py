"""What sensors over rays share: the poses of all bodies at the instant of a sample, and the scene."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar
from weakref import WeakValueDictionary

import numpy as np

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.sensors.kind import Capture, Instant, Option, SensorKind
from treadle.sensors.rays.scene import RayScene
from treadle.terrain import Terrain

__all__ = ["SEEN", "RaySensor", "Views"]

#: What all sensors over rays take.
SEEN = {
    "role": Option("visual", "choice", "which shapes it sees", ("visual", "collision", "all")),
    "own": Option(
        "passes",
        "choice",
        "whether rays pass through its whole rigid body, through its own link alone, or see both",
        ("passes", "link", "sees"),
    ),
}


#: Scenes in use, by model, terrain, role and links: sensors that see the same share one.
_scenes: WeakValueDictionary[tuple, RayScene] = WeakValueDictionary()


def _shared_scene(model: Model, terrain: Terrain | None, role: str, links: Sequence[str] | None) -> RayScene:
    """What sensors with these parameters see; every cast states its own poses."""
    # a scene keeps its model and terrain, so that no others have their numbers
    key = id(model), id(terrain), role, None if links is None else tuple(links)
    scene = _scenes.get(key)
    if scene is None:
        scene = _scenes[key] = RayScene(model, terrain=terrain, role=role, links=links)
    return scene


class Views:
    """Poses at the instant of a sample in all worlds: of the sensor (worlds, 4, 4) and of all bodies."""

    def __init__(self, numbers: np.ndarray, bodies: int) -> None:
        worlds = numbers.shape[1]
        rows = numbers[: 12 * (bodies + 1)].T.reshape(worlds, bodies + 1, 12)
        self.sensor = np.tile(np.eye(4), (worlds, 1, 1))
        self.sensor[:, :3, :3] = rows[:, 0, :9].reshape(worlds, 3, 3)
        self.sensor[:, :3, 3] = rows[:, 0, 9:]
        #: (worlds, bodies + 1, 12), see `RayScene.body_poses`
        self.bodies = np.zeros((worlds, bodies + 1, 12))
        self.bodies[:, 0, [0, 4, 8]] = 1.0
        self.bodies[:, 1:] = rows[:, 1:]
        #: (worlds, bodies + 1, 6) angular and linear velocities in world axes, of the sensor first
        self.velocity = numbers[12 * (bodies + 1) :].T.reshape(worlds, bodies + 1, 6)


class RaySensor(SensorKind):
    """Base of the sensors that cast rays: it measures poses and velocities of itself and of all bodies."""

    processed: ClassVar[bool] = True
    deferred: ClassVar[bool] = True
    options: ClassVar = SEEN

    def measure(self, at: Instant) -> Sequence[Scalar]:
        pose = self.pose(at)
        numbers = [*pose.to_list()]
        for X_WB in at.bodies:
            numbers += X_WB.to_list()
        own = self.velocity(at)
        numbers += [*pose.rotation.apply(own.angular), *pose.rotation.apply(own.linear)]
        for X_WB, velocity in zip(at.bodies, at.velocities, strict=True):
            numbers += [*X_WB.rotation.apply(velocity.angular), *X_WB.rotation.apply(velocity.linear)]
        return numbers

    @property
    def measured(self) -> int:
        return 18 * (len(self.model.bodies) + 1)

    def views(self, numbers: np.ndarray) -> Views:
        """The measured numbers by what they are."""
        return Views(numbers, len(self.model.bodies))

    @cached_property
    def scene(self) -> RayScene:
        """What it sees."""
        links = None
        if self.parameters["own"] == "link":
            own = self.sensor.beyond[0] if self.sensor.beyond else "world"
            links = [name for name in ("world", *(link.name for link in self.model.links)) if name != own]
        return _shared_scene(self.model, self.terrain, self.parameters["role"], links)

    @cached_property
    def ignore(self) -> tuple[str, ...]:
        """Links that rays pass through: its own body's."""
        body = self.sensor.body
        if self.parameters["own"] != "passes" or body == WORLD:
            return ()
        return tuple(link.name for link in self.model.links if link.body == body)

    def generator(self, capture: Capture, world: int) -> np.random.Generator:
        """Random numbers that belong to the sensor, the world and the sample."""
        return np.random.default_rng((capture.key, int(capture.worlds[world]), int(capture.index[world])))
