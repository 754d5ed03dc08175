"""Joints and bodies of a running simulation, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics import compiled
from treadle.errors import InputError
from treadle.sim.checks import check_vector

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["BodyHandle", "JointHandle"]


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


def _unwrap(values: np.ndarray) -> float | np.ndarray:
    return float(values[0]) if len(values) == 1 else values.copy()
