"""Sensors of height: barometer, altimeter, and depth by the pressure of a fluid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from treadle.graph import Scalar, exp, log, maximum
from treadle.model.hydrodynamics import Fluid
from treadle.model.values import plain_json
from treadle.sensors.kind import Channel, Instant, Option, SensorKind

__all__ = ["Altimeter", "Barometer", "Depth"]

#: Of the standard atmosphere up to 11 km: lapse rate (K/m), gravity (m/s2), molar mass (kg/mol), gas
#: constant.
_LAPSE, _GRAVITY, _MOLAR, _GAS = 0.0065, 9.80665, 0.0289644, 8.31432


class Barometer(SensorKind):
    """Pressure of the air at its height, by the standard atmosphere: p = p0 (1 - L h / T0)^(g M / (R L))."""

    meaning: ClassVar[str] = "pressure of the air"
    options: ClassVar = {
        "altitude": Option(0.0, "number", "of the world's origin above sea level (m)"),
        "pressure": Option(101325.0, "positive", "at sea level (Pa)"),
        "temperature": Option(288.15, "positive", "at sea level (K)"),
    }

    def channels(self) -> Sequence[Channel]:
        return [Channel("pressure", "Pa")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        height = self.pose(at).translation.z + self.parameters["altitude"]
        base = 1.0 - height * (_LAPSE / self.parameters["temperature"])
        return [self.parameters["pressure"] * exp(log(base) * (_GRAVITY * _MOLAR / (_GAS * _LAPSE)))]


class Altimeter(SensorKind):
    """Height above the world's origin, and its rate."""

    meaning: ClassVar[str] = "height and vertical speed"
    options: ClassVar = {"altitude": Option(0.0, "number", "of the world's origin (m)")}

    def channels(self) -> Sequence[Channel]:
        return [Channel("height", "m", "position"), Channel("rate", "m/s", "velocity")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        X, velocity = self.pose(at), self.velocity(at)
        return [X.translation.z + self.parameters["altitude"], X.rotation.apply(velocity.linear).z]


class Depth(SensorKind):
    """Pressure of the fluid over that of the air, and the depth that follows; zero above the surface."""

    meaning: ClassVar[str] = "pressure in the machine's fluid, and depth below its surface"
    options: ClassVar = {
        "density": Option(None, "positive", "of the fluid (kg/m3); that of the machine's if absent"),
        "surface": Option(
            None, "number", "height of the surface (m); that of the machine's fluid, or 0, if absent"
        ),
    }

    def channels(self) -> Sequence[Channel]:
        return [Channel("pressure", "Pa", "pressure"), Channel("depth", "m", "depth")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        settings: Any = plain_json(self.model.settings)
        fluid = Fluid.of(settings.get("fluid", {}))
        density, surface = self.parameters["density"], self.parameters["surface"]
        density = fluid.density if density is None else density
        surface = (fluid.surface or 0.0) if surface is None else surface
        depth = maximum(surface - self.pose(at).translation.z, 0.0)
        x, y, z = self.model.gravity
        return [depth * (density * (x * x + y * y + z * z) ** 0.5), depth]
