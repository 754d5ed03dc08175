"""The parts of a description by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.errors import InputError
from treadle.model.model import suggest

if TYPE_CHECKING:
    from treadle.model.elements import ElementSpec
    from treadle.model.parts import ActuatorSpec, CouplingSpec
    from treadle.model.sensors import SensorSpec
    from treadle.model.spec import BodySpec, JointSpec
    from treadle.model.tendons import TendonSpec

__all__ = ["PartsByName"]


class PartsByName:
    """What a description gives by name, to be changed."""

    def body(self, name: str) -> BodySpec:
        """The body of this name, to be changed."""
        return self._part("bodies", name, "body")

    def joint(self, name: str) -> JointSpec:
        """The joint of this name, to be changed."""
        return self._part("joints", name, "joint")

    def actuator(self, name: str) -> ActuatorSpec:
        """The actuator of this name, to be changed."""
        return self._part("actuators", name, "actuator")

    def element(self, name: str) -> ElementSpec:
        """The force element of this name, to be changed."""
        return self._part("elements", name, "element")

    def sensor(self, name: str) -> SensorSpec:
        """The sensor of this name, to be changed."""
        return self._part("sensors", name, "sensor")

    def tendon(self, name: str) -> TendonSpec:
        """The tendon of this name, to be changed."""
        return self._part("tendons", name, "tendon")

    def coupling(self, name: str) -> CouplingSpec:
        """The coupling of this name, to be changed."""
        return self._part("couplings", name, "coupling")

    def _part(self, parts: str, name: str, what: str) -> Any:
        known = getattr(self, parts)
        for part in known:
            if part.name == name:
                return part
        machine = vars(self)["name"]
        raise InputError(
            f"{machine!r} has no {what} named {name!r}; {suggest(name, [part.name for part in known])}"
        )
