"""A wheel of a simulation by name: what it does on the ground."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError
from treadle.model.attachments import Wheel
from treadle.model.model import suggest
from treadle.model.notebook import Shown
from treadle.sim.attributes import Guarded
from treadle.wheels.rolling import MEMORY, contact_count, rolling_contacts

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["WheelHandle"]

#: Speed (m/s) below which a wheel has no slip.
_STANDS = 1e-6


class WheelHandle(Guarded, Shown):
    """Readouts of a wheel, at the contact that carries most.

    After steps by force balance these are the forces that acted in the last one; with integrators that add
    the forces of wheels to the others, they are those at the present state.
    """

    __slots__ = ("_simulation", "name")

    def __init__(self, simulation: Simulation, name: str) -> None:
        self.name = name
        self._simulation = simulation
        self._found()

    def _title(self) -> str:
        return f"wheel {self.name!r} of {self._simulation.model.name!r}"

    @property
    def force(self) -> np.ndarray:
        """Force of the ground on the wheel (N): along its rolling direction, leftwards, along the normal."""
        return self._values()[0:3]

    @property
    def contact_velocity(self) -> np.ndarray:
        """Velocity of the wheel's contact point (m/s), in the same directions."""
        return self._values()[3:6]

    @property
    def rolling(self) -> float:
        """Radius times rate of turning (m/s)."""
        return float(self._values()[6])

    @property
    def sinkage(self) -> float:
        """How deep the wheel is in the ground (m), zero if it is not."""
        return max(float(self._values()[7]), 0.0)

    @property
    def point(self) -> np.ndarray:
        """The place of contact in the world (m)."""
        return self._values()[8:11]

    @property
    def slip(self) -> float:
        """Slip ratio in [-1, 1]: 1 where the wheel spins on the spot, -1 where it is locked and slides."""
        values = self._values()
        fastest = max(abs(values[3] + values[6]), abs(values[6]))
        return 0.0 if fastest < _STANDS else float(np.clip(-values[3] / fastest, -1.0, 1.0))

    @property
    def slip_angle(self) -> float:
        """Angle (rad) from the rolling direction to the velocity of the wheel's centre over the ground."""
        values = self._values()
        ahead = values[3] + values[6]
        return 0.0 if math.hypot(ahead, values[4]) < _STANDS else math.atan2(values[4], abs(ahead))

    @property
    def touching(self) -> bool:
        """Whether the ground carries the wheel."""
        return bool(self._values()[2] > 0.0)

    def _found(self) -> tuple[int, Wheel]:
        """The number of its first contact, and the wheel."""
        model = self._simulation.model
        names = [wheel.name for wheel in model.wheels]
        if self.name not in names:
            raise InputError(f"{model.name!r} has no wheel named {self.name!r}; {suggest(self.name, names)}")
        number = names.index(self.name)
        return sum(wheel.contacts for wheel in model.wheels[:number]), model.wheels[number]

    def _values(self) -> np.ndarray:
        """Force, velocity, rolling speed, depth and point of the contact that carries most."""
        simulation = self._simulation
        memory = simulation.arrays["memory"][: MEMORY * contact_count(simulation.model), 0]
        if simulation.integrator == "symplectic_euler" and memory.any():
            first, wheel = self._found()
            rows = memory.reshape(-1, MEMORY)[first : first + wheel.contacts, 2:]
        else:
            rows = self._present()
        return rows[np.argmax(rows[:, 2])].copy()

    def _present(self) -> np.ndarray:
        simulation = self._simulation
        q, v = simulation.q.tolist(), simulation.v.tolist()
        assert simulation.terrain is not None
        rows = []
        for contact in rolling_contacts(simulation.model, q, v, simulation.terrain, [self._found()[1]]):
            speeds, touch = contact.speeds(v), contact.touch
            rows.append([*contact.force(speeds)[:3], *speeds, touch.depth, *touch.point])
        return np.array(rows, dtype=float)
