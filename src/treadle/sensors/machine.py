"""Readings of the machine as a whole: its clock, its centre of mass, its energy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.dynamics.energy import kinetic_energy, potential_energy
from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.graph import Scalar
from treadle.model.model import WORLD
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import Vec3

__all__ = ["CenterOfMass", "Clock", "Energy"]


class Clock(SensorKind):
    """Simulated time."""

    mount: ClassVar[str] = "machine"
    meaning: ClassVar[str] = "simulated time"

    def channels(self) -> Sequence[Channel]:
        return [Channel("time", "s")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [at.time]


class CenterOfMass(SensorKind):
    """Centre of mass, its velocity, and the angular momentum about it, of a link and all that it carries."""

    meaning: ClassVar[str] = "centre of mass of a link and all that it carries"
    options: ClassVar = {
        "quantity": Option(
            "position", "choice", "what it gives", ("position", "velocity", "angular_momentum")
        )
    }

    def channels(self) -> Sequence[Channel]:
        quantity = self.parameters["quantity"]
        unit = {"position": "m", "velocity": "m/s", "angular_momentum": "N m s"}[quantity]
        return channels("x y z", unit)

    def measure(self, at: Instant) -> Sequence[Scalar]:
        X, motion = world_transforms(self.model, at.q), body_velocities(self.model, at.q, at.v)
        mass, moment, momentum, spin = 0.0, Vec3(), Vec3(), Vec3()
        for link in self.model.links:
            if link.name not in self._carried():
                continue
            inertia = link.inertia()
            if link.body == WORLD:
                mass, moment = mass + inertia.mass, moment + inertia.moment
                continue
            force = X[link.body].force_to_parent(inertia.apply(motion[link.body]))
            mass = mass + inertia.mass
            moment = (
                moment + X[link.body].rotation.apply(inertia.moment) + X[link.body].translation * inertia.mass
            )
            momentum, spin = momentum + force.linear, spin + force.angular
        center = moment * (1.0 / mass)
        return list(
            {
                "position": center,
                "velocity": momentum * (1.0 / mass),
                "angular_momentum": spin - center.cross(momentum),
            }[self.parameters["quantity"]]
        )

    def _carried(self) -> set[str]:
        """The link, those that hang on it by fixed joints, and all on moving joints further out."""
        if self.sensor.on is None:
            return {link.name for link in self.model.links}
        found = set(self.sensor.beyond)
        bodies: set[int] = set()
        for k, body in enumerate(self.model.bodies):
            if body.parent in bodies or (body.parent == self.sensor.body and body.holder in found):
                bodies.add(k)
        return found | {link.name for link in self.model.links if link.body in bodies}


class Energy(SensorKind):
    """Kinetic energy, or energy in the gravity field."""

    mount: ClassVar[str] = "machine"
    meaning: ClassVar[str] = "kinetic energy of the machine, or its energy in the gravity field"
    options: ClassVar = {"quantity": Option("kinetic", "choice", "which energy", ("kinetic", "potential"))}

    def channels(self) -> Sequence[Channel]:
        return [Channel("energy", "J")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        if self.parameters["quantity"] == "kinetic":
            return [kinetic_energy(self.model, at.q, at.v)]
        return [potential_energy(self.model, at.q)]
