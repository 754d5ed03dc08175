"""A sensor of a running simulation, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.sim.attributes import Guarded

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["SensorHandle"]


class SensorHandle(Guarded):
    """What a sensor shows: a float where it has one channel, else an array. SI units, radians."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim, self.name = sim, name
        sim.model.sensor(name)

    @property
    def value(self) -> float | np.ndarray:
        """The last sample that has come through: held until the next one."""
        assert self._sim.sampling is not None
        values = self._sim.sampling.value(self.name)[:, 0]
        return float(values[0]) if len(values) == 1 else values

    @property
    def time(self) -> float:
        """When the sample was taken that it shows (s)."""
        assert self._sim.sampling is not None
        return float(self._sim.sampling.sample_time(self.name)[0])

    @property
    def components(self) -> tuple[str, ...]:
        """Names of what it gives, in order."""
        assert self._sim.sampling is not None
        return tuple(channel.name for channel in self._sim.sampling.bank.readings[self.name].channels)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units."""
        assert self._sim.sampling is not None
        return tuple(channel.unit for channel in self._sim.sampling.bank.readings[self.name].channels)

    def __repr__(self) -> str:
        return f"SensorHandle({self.name!r}, value={self.value!r})"
