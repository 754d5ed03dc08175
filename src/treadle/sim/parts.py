"""What a simulation gives by name: handles of its parts, and its contacts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treadle.sim.handles import (
    ActuatorHandle,
    BodyHandle,
    CouplingHandle,
    JointHandle,
    LoopHandle,
    TendonHandle,
)

if TYPE_CHECKING:
    from treadle.collision.collider import Collider
    from treadle.sim.contacts.force_histories import ContactHistory
    from treadle.sim.contacts.points import ContactPoint
    from treadle.sim.contacts.sums import ContactSum
    from treadle.sim.sensing import SensorHandle
    from treadle.sim.simulation import Simulation
    from treadle.sim.wheel_handle import WheelHandle

__all__ = ["Parts"]


class Parts:
    """What a simulation gives by name."""

    def joint(self, name: str) -> JointHandle:
        """Position, velocity, acceleration, torque and reaction of a joint."""
        return JointHandle(self._itself, name)

    def body(self, name: str) -> BodyHandle:
        """Pose, velocity and acceleration of a link or frame."""
        return BodyHandle(self._itself, name)

    def actuator(self, name: str) -> ActuatorHandle:
        """Command and force of an actuator."""
        return ActuatorHandle(self._itself, name)

    def tendon(self, name: str) -> TendonHandle:
        """Length, speed and moment arms of a tendon."""
        return TendonHandle(self._itself, name)

    def loop(self, name: str) -> LoopHandle:
        """Gap and reaction of a joint that closes a loop."""
        return LoopHandle(self._itself, name)

    def coupling(self, name: str) -> CouplingHandle:
        """Gap and force of a coupling."""
        return CouplingHandle(self._itself, name)

    def wheel(self, name: str) -> WheelHandle:
        """Slip, force and sinkage of a wheel."""
        from treadle.sim.wheel_handle import WheelHandle

        return WheelHandle(self._itself, name)

    def sensor(self, name: str) -> SensorHandle:
        """What a sensor shows."""
        from treadle.sim.sensing import SensorHandle

        return SensorHandle(self._itself, name)

    def contacts(self) -> list[ContactPoint]:
        """Points where shapes touch after the last step, with their forces."""
        from treadle.sim.contacts.last import last_step
        from treadle.sim.contacts.points import contact_points

        step = last_step(self._itself).step
        return [] if step is None else contact_points(step)

    def contact_on(self, name: str | None, about: Sequence[float] | None = None) -> ContactSum:
        """What a link, a shape or the world (None) got from all that it touched in the last step.

        The torque is about the point `about` in the world (m), by default the link's origin.
        """
        from treadle.sim.contacts.sums import contact_on

        return contact_on(self._itself, name, about)

    def contact_between(
        self, first: str | None, second: str | None, about: Sequence[float] | None = None
    ) -> ContactSum:
        """What the second of two links, shapes or the world (None) got from the first in the last step."""
        from treadle.sim.contacts.sums import contact_between

        return contact_between(self._itself, first, second, about)

    def contact_sums(self) -> dict[tuple[str | None, str], ContactSum]:
        """What every two links that touched in the last step gave each other, by their names, None the world.

        The force is that on the second.
        """
        from treadle.sim.contacts.sums import contact_sums

        return contact_sums(self._itself)

    def contact_histories(self, samples: int = 65) -> list[ContactHistory]:
        """Depth and force of contacts with stiffness inside the last step, touch by touch."""
        from treadle.sim.contacts.force_histories import contact_histories

        return contact_histories(self._itself, samples)

    def contact_courses(self, samples: int = 65) -> list[ContactHistory]:
        """Deprecated: `contact_histories`."""
        message = "Simulation.contact_courses is deprecated: use contact_histories"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.contact_histories(samples)

    def collider(self) -> Collider:
        """The collision shapes with the terrain and the meshes they touch with, to ask about.

        `td.ray_cast(sim.collider(), sim.q, ...)`, and so on for the other questions about shapes.
        """
        from treadle.collision.collider import Collider
        from treadle.sim.step.terrain_shapes import on_terrain

        sim = self._itself
        grounded, fields = on_terrain(sim.model, None if sim.model.wheels else sim.terrain)
        return Collider(grounded, fields=fields, meshes=sim.step_options.meshes)

    @property
    def _itself(self) -> Simulation:
        return self  # type: ignore[return-value]
