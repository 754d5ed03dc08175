"""Contact sensors: the force on a link or shape from all that touches it, as vector, magnitude or switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from treadle.graph import Scalar, sqrt, where
from treadle.model.model import WORLD, Model
from treadle.model.sensors import Sensor
from treadle.model.values import vector
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import Transform, Vec3

__all__ = ["ZONES", "Bumper", "ContactForce", "Touch", "TouchZone", "contact_force_on", "touch_zones"]

#: Shapes of the zones of touch sensors, and how many numbers their sizes have.
ZONES = {"sphere": 1, "ellipsoid": 3, "capsule": 2, "cylinder": 2, "box": 3}


class ContactForce(SensorKind):
    """Force on a link or shape, in the mean over the last step; zero where nothing touches."""

    mount: ClassVar[str] = "contact"
    meaning: ClassVar[str] = "force of all contacts on a link or shape"
    options: ClassVar = {"axes": Option("world", "choice", "axes of the force", ("world", "own"))}

    def channels(self) -> Sequence[Channel]:
        return channels("fx fy fz", "N")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        force = self.force(at)
        if self.parameters.get("axes") == "own":
            shape = next(s for s in self.model.shapes if self.sensor.on in (s.name, s.link))
            if shape.body != WORLD:
                force = at.bodies[shape.body].rotation.apply_transposed(force)
        return list(force)

    def force(self, at: Instant) -> Vec3:
        """In world axes."""
        return contact_force_on(str(self.sensor.on), at)


def contact_force_on(name: str, at: Instant) -> Vec3:
    """Force of all contacts on a link or a shape, in world axes."""
    shapes = [s.name for s in at.model.shapes if s.role == "collision" and s.link == name]
    total = Vec3()
    for shape in shapes or [name]:
        if shape in at.shape_forces:
            total = total + Vec3(*at.shape_forces[shape][:3])
    return total


class Touch(ContactForce):
    """Magnitude of that force; with a zone, the sum of the normal forces that are felt in it."""

    meaning: ClassVar[str] = "magnitude of the contact force on a link or shape, or normal force in a zone"
    options: ClassVar = {
        "zone": Option(
            None,
            "choice",
            "shape of a zone where the sensor is placed: it adds up the normal forces of the contacts of its "
            "link whose normals, from their points outward, meet the zone",
            tuple(ZONES),
        ),
        "size": Option(None, "values", "size of the zone, as that of a shape"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        self._zone = _zone_of(sensor)

    def channels(self) -> Sequence[Channel]:
        return [Channel("force", "N")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        if self._zone is not None:
            return [at.zone_forces.get(self.sensor.name, 0.0)]
        force = self.force(at)
        return [sqrt(force.dot(force))]


@dataclass(frozen=True)
class TouchZone:
    """Where a touch sensor feels contact: a shape that is fixed to a link (None: the world)."""

    sensor: str
    link: str | None
    body: int
    placement: Transform
    type: str
    size: tuple[float, ...]


def touch_zones(model: Model) -> list[TouchZone]:
    """The zones of a machine's touch sensors."""
    zones = [_zone_of(sensor) for sensor in model.sensors if sensor.type == "touch"]
    return [zone for zone in zones if zone is not None]


def _zone_of(sensor: Sensor) -> TouchZone | None:
    """The zone of a touch sensor, None if it has none; ValueError where its size is wrong."""
    given, kind = sensor.parameters, sensor.parameters.get("zone")
    if kind is None:
        if given.get("size") is not None:
            raise ValueError("its size belongs to a zone: say which shape that has")
        return None
    try:
        size = tuple(vector(given.get("size"), ZONES[kind]).tolist())
    except (TypeError, ValueError) as error:
        raise ValueError(f"the size of its zone {error}") from None
    if min(size) <= 0.0:
        raise ValueError("the size of its zone must be positive")
    link = sensor.beyond[0] if sensor.beyond else None
    return TouchZone(sensor.name, link, sensor.body, sensor.placement, kind, size)


class Bumper(ContactForce):
    """1 where the contact force is above a threshold, else 0."""

    meaning: ClassVar[str] = "whether something touches a link or shape"
    options: ClassVar = {"threshold": Option(0.0, "magnitude", "force from which on it switches (N)")}

    def channels(self) -> Sequence[Channel]:
        return [Channel("contact", "1")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        force = self.force(at)
        return [where(force.dot(force) > self.parameters["threshold"] ** 2, 1.0, 0.0)]
