"""Sensors of actuators: force, and the current of an electric motor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.forces.actuator import actuator_units
from treadle.graph import Scalar
from treadle.sensors.kind import Channel, Instant, Option, SensorKind

__all__ = ["ActuatorForce", "MotorCurrent"]


class ActuatorForce(SensorKind):
    """Force or torque of an actuator on its dof."""

    mount: ClassVar[str] = "actuator"
    meaning: ClassVar[str] = "force or torque of an actuator"
    options: ClassVar = {"gear": Option(1.0, "number", "gear behind the place where it is measured")}

    def channels(self) -> Sequence[Channel]:
        return [Channel("force", actuator_units(self.model, self.model.actuators[self._number])[2])]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [at.actuator_forces[self._number] * (1.0 / self.parameters["gear"])]

    @property
    def _number(self) -> int:
        return [actuator.name for actuator in self.model.actuators].index(str(self.sensor.on))


class MotorCurrent(ActuatorForce):
    """Current that makes the torque of an electric motor: torque over the torque constant and the gear."""

    meaning: ClassVar[str] = "current of an electric motor"
    options: ClassVar = {
        "constant": Option(1.0, "positive", "torque constant of the motor (N m/A, or N/A)"),
        "gear": Option(1.0, "positive", "turns of the motor per turn of the joint"),
        "idle": Option(0.0, "magnitude", "current that only keeps it turning (A)"),
    }

    def channels(self) -> Sequence[Channel]:
        return [Channel("current", "A")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        (torque,) = super().measure(at)
        return [torque * (1.0 / self.parameters["constant"]) + self.parameters["idle"]]
