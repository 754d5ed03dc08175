"""Sensors of vehicles: odometry by wheels, and the Doppler log of vehicles in water."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from treadle.forces.current import Current
from treadle.graph import Scalar
from treadle.model.hydrodynamics import Fluid
from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.model.values import plain_json
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels

__all__ = ["DopplerLog", "WheelOdometry"]


class WheelOdometry(SensorKind):
    """What wheels say if they roll without slip: distance, heading, speed and yaw rate of a vehicle.

    With r_l, r_r the way of the wheels on the left and on the right (angle times radius, in the mean):
    distance (r_l + r_r)/2, heading (r_r - r_l)/track; speed and yaw rate are their rates.
    """

    mount: ClassVar[str] = "machine"
    meaning: ClassVar[str] = "distance, heading, speed and yaw rate of a vehicle by its wheels"
    options: ClassVar = {
        "left": Option((), "values", "joints of the wheels on the left"),
        "right": Option((), "values", "joints of the wheels on the right"),
        "radius": Option(None, "positive", "of the wheels (m); that of the wheels on these joints if absent"),
        "track": Option(None, "positive", "distance from the left to the right (m)"),
        "counts": Option(None, "positive", "counts per turn of the encoders on the wheels; exact if absent"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        radii = {wheel.joint: wheel.radius for wheel in model.wheels}
        for side in ("left", "right"):
            if not isinstance(self.parameters[side], (list, tuple)) or not self.parameters[side]:
                raise ValueError(f"its {side} needs names of joints, such as {side} = ['{side}_wheel']")
            for name in self.parameters[side]:
                if model.joint(name).type.nv != 1:
                    raise ValueError(f"joint {name!r} is not that of a wheel: it has no single axis")
                if self.parameters["radius"] is None and name not in radii:
                    raise ValueError(f"joint {name!r} has no wheel; give the radius")
        if self.parameters["track"] is None:
            raise ValueError("its track is missing: give the distance from the left to the right wheels (m)")
        self._radii = radii

    def channels(self) -> Sequence[Channel]:
        return [
            Channel("distance", "m", "position"),
            Channel("heading", "rad", "position"),
            Channel("speed", "m/s", "velocity"),
            Channel("yaw_rate", "rad/s", "velocity"),
        ]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        track, found = self.parameters["track"], []
        for values, part in ((at.q, "q"), (at.v, "v")):
            left, right = (self._way(values, part, self.parameters[side]) for side in ("left", "right"))
            found += [(left + right) * 0.5, (right - left) * (1.0 / track)]
        return found

    def effects(self) -> dict[str, Any]:
        if self.parameters["counts"] is None:
            return {}
        radius = self.parameters["radius"] or self._radii[self.parameters["left"][0]]
        step = 2.0 * 3.141592653589793 * radius / self.parameters["counts"]
        return {"position": {"quantization": (step, step / self.parameters["track"])}}

    def _way(self, values: Sequence[Scalar], part: str, names: Sequence[str]) -> Scalar:
        """Mean of angle times radius (or of the rates)."""
        total: Scalar = 0.0
        for name in names:
            radius = self.parameters["radius"] or self._radii[name]
            total = total + values[getattr(self.model.joint(name), part)][0] * radius
        return total * (1.0 / len(names))


class DopplerLog(SensorKind):
    """Velocity over the ground, or through the water, in the sensor's axes, as four Doppler beams give it."""

    meaning: ClassVar[str] = "velocity over the ground or through the water in its own axes"
    options: ClassVar = {"lock": Option("bottom", "choice", "what it measures against", ("bottom", "water"))}

    def channels(self) -> Sequence[Channel]:
        return channels("vx vy vz", "m/s")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        velocity = self.velocity(at).linear
        if self.parameters["lock"] == "water":
            settings: Any = plain_json(self.model.settings)
            fluid = Fluid.of(settings.get("fluid", {}))
            current = Current(fluid.current, fluid.profile).at(self.pose(at).translation, at.time)
            velocity = velocity - self.pose(at).rotation.apply_transposed(current)
        return list(velocity)
