"""All sensors of a machine in a number of worlds: when each samples, what it has in memory, what it shows.

A sample k lies at the time k / rate. It is kept in a ring that is as long as the delay asks for, and shown
from `delay` seconds after it was taken until the next one is (sample and hold); before the first one has come
through, the first is shown. Sensors of one rate are a group and sample together. One without rate and noise
is continuous: it shows what is at the moment of reading, and keeps nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treadle.model.model import Model
from treadle.sensors import bind_sensors
from treadle.sensors.kind import Capture
from treadle.sensors.reading import ROUNDING, Reading
from treadle.terrain import Terrain

__all__ = ["Group", "SensorBank"]


class Group:
    """The sensors of one rate (None: one sample per step), which sample together.

    Those with a path have `every` instants per sample; the last `count` of them are taken, a sample at the
    end.
    """

    def __init__(self, readings: Sequence[Reading], worlds: int) -> None:
        self.readings = list(readings)
        self.rate, self.continuous, self.every, self.count = self.readings[0].schedule
        #: (worlds) number of the instant that was taken last, -1 before the first
        self.last = np.full(worlds, -1.0)

    def parts(self) -> Iterator[tuple[Reading, slice]]:
        """The sensors, and where their numbers are among those of the group."""
        start = 0
        for reading in self.readings:
            yield reading, slice(start, start + reading.kind.measured)
            start += reading.kind.measured

    def next_time(self, time: np.ndarray) -> np.ndarray:
        """(worlds) when the next instant is due, without a rate at once."""
        return time if self.rate is None else self.next_index() / self.rate

    def next_index(self) -> np.ndarray:
        """(worlds) its number."""
        index = self.last + 1.0
        if self.every == 1:
            return index
        return index + np.maximum(np.mod(-index, self.every) - (self.count - 1), 0.0)


class SensorBank:
    """The sensors of a model in a number of worlds, from the world number `first` on, on a terrain."""

    def __init__(self, model: Model, worlds: int, first: int = 0, terrain: Terrain | None = None) -> None:
        self.model, self.worlds = model, np.arange(first, first + worlds)
        self.readings = {kind.sensor.name: Reading(kind, worlds) for kind in bind_sensors(model)}
        for reading in self.readings.values():
            reading.kind.terrain = terrain
        schedules: dict[tuple, list[Reading]] = {}
        for reading in self.readings.values():
            schedules.setdefault(reading.schedule, []).append(reading)
        self.groups = [Group(members, len(self.worlds)) for members in schedules.values()]
        #: those that sample, the others show what is
        self.sampling = [group for group in self.groups if not group.continuous]

    def group_of(self, name: str) -> Group:
        """The group of a sensor."""
        return next(group for group in self.groups if any(r.sensor.name == name for r in group.readings))

    def take(
        self, group: Group, numbers: np.ndarray, time: np.ndarray, taken: np.ndarray, step: np.ndarray
    ) -> None:
        """Keep a sample of a group: the numbers that its sensors measured one after the other (n, worlds)."""
        index = group.next_index()
        if group.rate is not None:
            # after a jump in time the samples between are left out
            index = np.maximum(index, np.floor(time * group.rate + ROUNDING))
        for reading, part in group.parts():
            reading.take(numbers[part], Capture(time, taken, index, self.worlds, reading.key), step)
        group.last = np.where(taken, index, group.last)

    def take_first(self, group: Group, numbers: np.ndarray, time: np.ndarray, step: np.ndarray) -> None:
        """Keep a first sample of those sensors that joined a group later, with the number of its last one."""
        for reading, part in group.parts():
            late = reading.filled == 0.0
            if late.any():
                capture = Capture(time, late, group.last, self.worlds, reading.key)
                reading.take(numbers[part], capture, step)

    def continue_from(self, other: SensorBank) -> None:
        """Take over the samples of sensors of the same names that sample as they did there."""
        for group in self.sampling:
            for reading in group.readings:
                before = other.readings.get(reading.sensor.name)
                if before is None or not reading.continues(before):
                    continue
                for mine, theirs in zip(reading.arrays, before.arrays, strict=True):
                    mine[...] = theirs
                group.last[:] = other.group_of(reading.sensor.name).last

    def forget(self, worlds: Any = slice(None)) -> None:
        """Return these worlds to before the first sample."""
        for group in self.sampling:
            group.last[worlds] = -1.0
            for reading in group.readings:
                reading.forget(worlds)

    def forget_after(self, time: np.ndarray) -> None:
        """Return worlds whose samples lie beyond their time (worlds) to before the first one."""
        for group in self.sampling:
            if group.rate is not None:
                ahead = group.last > time * group.rate + 2.0 * ROUNDING
                if ahead.any():
                    group.last[ahead] = -1.0
                    for reading in group.readings:
                        reading.forget(ahead)

    def save(self) -> np.ndarray:
        """(numbers, worlds) all that the next samples depend on."""
        rows = [group.last[None] for group in self.sampling]
        for reading in self._kept():
            rows += [array.reshape(-1, array.shape[-1]) for array in reading.arrays]
        return np.concatenate([np.zeros((0, len(self.worlds))), *rows])

    def restore(self, state: np.ndarray) -> bool:
        """Return to a saved state; whether it was one of these sensors."""
        if len(state) != self._state_size():
            self.forget()
            return False
        place = 0
        for group in self.sampling:
            group.last[:] = state[place]
            place += 1
        for reading in self._kept():
            for array in reading.arrays:
                count = array.size // array.shape[-1]
                array[...] = state[place : place + count].reshape(array.shape)
                place += count
        return True

    def _kept(self) -> list[Reading]:
        return [reading for group in self.sampling for reading in group.readings]

    def _state_size(self) -> int:
        kept = [array for reading in self._kept() for array in reading.arrays]
        return len(self.sampling) + sum(array.size // array.shape[-1] for array in kept)
