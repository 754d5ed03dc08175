"""Contact sensors: the force on a link or shape from all that touches it, as vector, magnitude or switch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar, sqrt, where
from treadle.model.model import WORLD
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import Vec3

__all__ = ["Bumper", "ContactForce", "Touch", "contact_force_on"]


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
    """Magnitude of that force."""

    meaning: ClassVar[str] = "magnitude of the contact force on a link or shape"
    options: ClassVar = {}

    def channels(self) -> Sequence[Channel]:
        return [Channel("force", "N")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        force = self.force(at)
        return [sqrt(force.dot(force))]


class Bumper(ContactForce):
    """1 where the contact force is above a threshold, else 0."""

    meaning: ClassVar[str] = "whether something touches a link or shape"
    options: ClassVar = {"threshold": Option(0.0, "magnitude", "force from which on it switches (N)")}

    def channels(self) -> Sequence[Channel]:
        return [Channel("contact", "1")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        force = self.force(at)
        return [where(force.dot(force) > self.parameters["threshold"] ** 2, 1.0, 0.0)]
