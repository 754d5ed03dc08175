"""Sensors of tendons: length, its rate, force of actuators, limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.forces.tendon import tendon_coordinate
from treadle.graph import Scalar
from treadle.model.tendons import Tendon
from treadle.sensors.kind import Channel, Instant, Option, SensorKind
from treadle.sensors.limit import LIMIT, beyond_limit, limit_channel

__all__ = ["TendonForce", "TendonLength", "TendonLimit", "TendonVelocity"]


class _OnTendon(SensorKind):
    mount: ClassVar[str] = "tendon"

    @property
    def tendon(self) -> Tendon:
        """The tendon that it is on."""
        return self.model.tendon(str(self.sensor.on))

    @property
    def units(self) -> tuple[str, str, str]:
        """Of its length, its rate and forces along it; one of joints that turn has theirs."""
        if self.tendon.path:
            return "m", "m/s", "N"
        places = [v for _, v, _ in self.tendon.joints]
        rates = {joint.type.velocity_units[0] for joint in self.model.joints if joint.v.start in places}
        return ("rad", "rad/s", "N m") if rates == {"rad/s"} else ("m", "m/s", "N")

    def state(self, at: Instant) -> tuple[Scalar, Scalar]:
        """Length and its rate."""
        length, arms = tendon_coordinate(self.model, self.tendon, at.q)
        return length, sum((arm * at.v[k] for k, arm in arms.items()), 0.0)


class TendonLength(_OnTendon):
    """Length of a tendon."""

    meaning: ClassVar[str] = "length of a tendon"
    options: ClassVar = {"gear": Option(1.0, "number", "what it shows per length of the tendon")}

    def channels(self) -> Sequence[Channel]:
        return [Channel("length", self.units[0])]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [self.state(at)[0] * self.parameters["gear"]]


class TendonVelocity(_OnTendon):
    """Rate of a tendon's length."""

    meaning: ClassVar[str] = "rate of a tendon's length"
    options: ClassVar = TendonLength.options

    def channels(self) -> Sequence[Channel]:
        return [Channel("velocity", self.units[1])]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [self.state(at)[1] * self.parameters["gear"]]


class TendonForce(_OnTendon):
    """Force of all actuators on a tendon; one that pulls is negative."""

    meaning: ClassVar[str] = "force of all actuators on a tendon"
    options: ClassVar = {"gear": Option(1.0, "number", "gear behind the place where it is measured")}

    def channels(self) -> Sequence[Channel]:
        return [Channel("force", self.units[2])]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        number = [tendon.name for tendon in self.model.tendons].index(self.tendon.name)
        pulls = zip(self.model.actuators, at.actuator_forces, strict=True)
        total: Scalar = sum((force for actuator, force in pulls if actuator.tendon == number), 0.0)
        return [total * (1.0 / self.parameters["gear"])]


class TendonLimit(_OnTendon):
    """What `JointLimit` is for a joint."""

    meaning: ClassVar[str] = "distance from a tendon's limit, its rate, or how hard the limit pushes"
    options: ClassVar = LIMIT

    def channels(self) -> Sequence[Channel]:
        return [limit_channel(self.parameters["quantity"], self.units)]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        if self.parameters["quantity"] == "force":
            return [abs(at.tendon_limit_forces.get(self.tendon.name, 0.0))]
        ends = self.tendon.lower[0], self.tendon.upper[0]
        return [beyond_limit(self.state(at), ends, self.parameters)]
