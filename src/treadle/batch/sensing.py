"""The sensors of many worlds: a column each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from treadle.sensors.bank import Group
from treadle.sim.arrays import CARRIED
from treadle.sim.sensing.handle import SensorView
from treadle.sim.sensing.program import measure_program

if TYPE_CHECKING:
    from treadle.batch.batch import Batch
    from treadle.batch.workers import Workers

__all__ = ["BatchPort", "BatchSensor"]


class BatchSensor(SensorView):
    """What a sensor shows: (worlds) where it has one channel, else (worlds, channels). SI units, radians.

    `handle["latitude"]` (worlds) is one component of it.
    """

    __slots__ = ()

    @property
    def value(self) -> np.ndarray:
        """The last samples that have come through: held until the next ones."""
        values = self._sampled.value(self.name)
        return values[0] if len(values) == 1 else values.T

    @property
    def time(self) -> np.ndarray:
        """(worlds) when the samples were taken that it shows (s)."""
        return self._sampled.sample_time(self.name)

    def __getitem__(self, component: str) -> np.ndarray:
        return self._component(component)

    def __repr__(self) -> str:
        return f"BatchSensor({self.name!r}, {len(self.components)} components)"


class BatchPort:
    """The worlds of a batch, as the sampling of their sensors sees them."""

    def __init__(self, batch: Batch, workers: Workers) -> None:
        self._batch, self._workers = batch, workers

    def times(self) -> np.ndarray:
        """(worlds) seconds."""
        return self._batch.time

    def steps(self) -> np.ndarray:
        """(worlds) length of the next step in seconds."""
        return np.array(self._batch.arrays["dt"][0, : self._batch.worlds], dtype=float)

    def running(self) -> np.ndarray:
        """(worlds) which of them move on."""
        return self._batch.alive

    def fresh(self) -> bool:
        """Whether no step was taken yet."""
        return self._batch.steps == 0 and not self._batch.arrays["alive"][1].any()

    def measured(self, group: Group, time: np.ndarray) -> np.ndarray:
        """(numbers, worlds) of a group at the present state."""
        batch, sensors = self._batch, [reading.kind for reading in group.readings]
        program = lambda kind: measure_program(batch.world, sensors, kind)  # noqa: E731
        return batch.functions.evaluate(group, program, time=time)["measured"][:, : batch.worlds]

    def after(self, spans: np.ndarray, look: Callable[[], None]) -> None:
        """Look at the states so many seconds into the next step."""
        batch = self._batch
        names = [name for name in (*CARRIED, "dt", "shape_forces", "zone_forces") if name in batch.arrays]
        kept = {name: batch.arrays[name].copy() for name in names}
        memory = self._workers.memory
        try:
            batch.arrays["dt"][0, : batch.worlds] = spans
            self._workers.take(1)
            batch.arrays["dt"][:] = kept["dt"]
            look()
        finally:
            for name, array in kept.items():
                batch.arrays[name][:] = array
            if batch.contact:
                self._workers.memory = memory
