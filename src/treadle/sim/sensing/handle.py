"""A sensor of a running simulation, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from treadle.errors import InputError
from treadle.model.model import Model, suggest
from treadle.sim.attributes import Guarded

if TYPE_CHECKING:
    from treadle.sensors.reading import Reading
    from treadle.sim.sensing.sampling import Sampling

__all__ = ["Sampled", "SensorHandle", "SensorView"]


class Sampled(Protocol):
    """What has sensors: a simulation, or a batch."""

    @property
    def model(self) -> Model: ...
    @property
    def sampling(self) -> Sampling | None: ...


class SensorView(Guarded):
    """What sensors of one simulation and of many worlds have in common."""

    __slots__ = ("_of", "name")

    def __init__(self, of: Sampled, name: str) -> None:
        self._of, self.name = of, name
        of.model.sensor(name)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of what it gives, in order."""
        return tuple(channel.name for channel in self._reading.channels)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units."""
        return tuple(channel.unit for channel in self._reading.channels)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape that its numbers have: (height, width) of a camera, (columns, rows) of a lidar."""
        return self._reading.kind.shape

    def _component(self, name: str) -> np.ndarray:
        """(worlds) one of its numbers."""
        names = self.components
        if name not in names:
            raise InputError(f"sensor {self.name!r} has no component {name!r}; {suggest(name, names)}")
        return self._sampled.value(self.name)[names.index(name)]

    @property
    def _sampled(self) -> Sampling:
        """Another one after the machine was edited."""
        assert self._of.sampling is not None
        return self._of.sampling

    @property
    def _reading(self) -> Reading:
        return self._sampled.bank.readings[self.name]


class SensorHandle(SensorView):
    """What a sensor shows: a float where it has one channel, else an array. SI units, radians.

    `handle["latitude"]` is one component of it.
    """

    __slots__ = ()

    @property
    def value(self) -> float | np.ndarray:
        """The last sample that has come through: held until the next one."""
        values = self._sampled.value(self.name)[:, 0]
        return float(values[0]) if len(values) == 1 else values

    @property
    def time(self) -> float:
        """When the sample was taken that it shows (s)."""
        return float(self._sampled.sample_time(self.name)[0])

    def __getitem__(self, component: str) -> float:
        return float(self._component(component)[0])

    def __repr__(self) -> str:
        return f"SensorHandle({self.name!r}, value={self.value!r})"
