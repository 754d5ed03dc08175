"""Joints and bodies of a running simulation, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics import compiled
from treadle.errors import InputError
from treadle.forces.actuator import actuator_drives
from treadle.forces.cylinder import CYLINDER_STATE
from treadle.model.model import suggest
from treadle.sim.checks import check_vector

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["ActuatorHandle", "BodyHandle", "JointHandle"]


class JointHandle:
    """A joint: a float for joints with one freedom, an array for the others. SI units, radians."""

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim = sim
        self._joint = sim.model.joint(name)
        self.name = name

    @property
    def position(self) -> float | np.ndarray:
        return _unwrap(self._sim.q[self._joint.q])

    @position.setter
    def position(self, value: ArrayLike) -> None:
        numbers = check_vector(f"position of joint {self.name!r}", value, self._joint.type.nq)
        try:
            normal = self._joint.type.normalize(numbers.tolist())
        except ValueError as error:
            raise InputError(f"position of joint {self.name!r}: {error}") from None
        self._sim.q[self._joint.q] = normal

    @property
    def velocity(self) -> float | np.ndarray:
        return _unwrap(self._sim.v[self._joint.v])

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        numbers = check_vector(f"velocity of joint {self.name!r}", value, self._joint.type.nv)
        self._sim.v[self._joint.v] = numbers

    @property
    def torque(self) -> float | np.ndarray:
        """Joint force held until it is set again: N m for turning freedoms, N for sliding ones."""
        return _unwrap(self._sim.tau[self._joint.v])

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        numbers = check_vector(f"torque of joint {self.name!r}", value, self._joint.type.nv)
        self._sim.tau[self._joint.v] = numbers


class BodyHandle:
    """A link or frame: where it is and how it moves, in world axes."""

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim = sim
        self._frame = sim.model.frame(name)
        self.name = name

    @property
    def pose(self) -> np.ndarray:
        """4 x 4 pose X_WB."""
        return compiled.frame_pose(self._sim.model, self._sim.q, self.name)

    @property
    def position(self) -> np.ndarray:
        """Origin in the world (3), in metres."""
        return self.pose[:3, 3].copy()

    @property
    def velocity(self) -> np.ndarray:
        """(Angular velocity, velocity of the origin), six numbers in world axes."""
        jacobian = compiled.frame_jacobian(self._sim.model, self._sim.q, self.name)
        return jacobian @ self._sim.v


class ActuatorHandle:
    """An actuator: its command, and what it does. SI units, radians."""

    def __init__(self, sim: Simulation, name: str) -> None:
        names = [actuator.name for actuator in sim.model.actuators]
        if name not in names:
            raise InputError(f"{sim.model.name!r} has no actuator named {name!r}; {suggest(name, names)}")
        self._sim = sim
        self._index = names.index(name)
        self._actuator = sim.model.actuators[self._index]
        self.name = name

    @property
    def command(self) -> float:
        """What it is told: a force, position or velocity, or the opening of a cylinder's valve from -1 to 1.

        It holds until it is set again; beyond the actuator's range its end acts.
        """
        return float(self._sim._arrays["commands"][self._index, 0])

    @command.setter
    def command(self, value: float) -> None:
        (number,) = check_vector(f"command of actuator {self.name!r}", value, 1)
        self._sim._arrays["commands"][self._index, 0] = number

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest command that acts."""
        low, high = self._actuator.lower, self._actuator.upper
        return -np.inf if low is None else low, np.inf if high is None else high

    @property
    def force(self) -> float:
        """Force on its joint in this state, in N m or N."""
        sim = self._sim
        commands, drives = (sim._arrays[name][:, 0].tolist() for name in ("commands", "drives"))
        drive = actuator_drives(sim.model, commands, drives, sim.q.tolist(), sim.v.tolist())[self._index]
        return float(drive.force - drive.damping * self._sim.v[self._actuator.v])

    @property
    def pressures(self) -> tuple[float, float]:
        """Pressures on the cap and the rod side of a cylinder, in Pa."""
        if self._actuator.type != "cylinder":
            raise InputError(
                f"actuator {self.name!r} is a {self._actuator.type}: only cylinders have pressures"
            )
        before = self._sim.model.actuators[: self._index]
        start = CYLINDER_STATE * sum(actuator.type == "cylinder" for actuator in before)
        cap, rod = self._sim._arrays["drives"][start : start + CYLINDER_STATE, 0].tolist()
        return cap, rod


def _unwrap(values: np.ndarray) -> float | np.ndarray:
    return float(values[0]) if len(values) == 1 else values.copy()
