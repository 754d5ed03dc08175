"""One sensor in a number of worlds: its samples on their way, and what it shows of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treadle.errors import ModelError
from treadle.sensors.kind import Capture, Channel, SensorKind
from treadle.sensors.noise import imperfections
from treadle.sensors.path import Path
from treadle.sensors.random import sensor_key

__all__ = ["ROUNDING", "Reading"]

#: Share of a sampling interval by which a sample may be off a step's end and is taken there.
ROUNDING = 1e-6

#: Numbers of a channel's memory, see `chain.MEMORY`.
_MEMORY = 3


class Reading:
    """A sensor of all worlds: its samples on their way, and the memory of its imperfections."""

    def __init__(self, kind: SensorKind, worlds: int) -> None:
        self.kind, self.sensor = kind, kind.sensor
        self.channels: Sequence[Channel] = kind.channels()
        self.effects = _effects(kind, self.channels)
        self.continuous = (
            self.sensor.rate is None and self.effects.memoryless and (kind.deferred or not kind.processed)
        )
        #: whether samples are kept as the measured numbers, and processed when they are read
        late = self.effects.none or (self.effects.stateless and self.sensor.rate is not None)
        self.deferred = kind.deferred and late and not self.continuous
        self._read: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.key = sensor_key(self.sensor.seed, self.sensor.name)
        depth = 0 if self.continuous else 1
        #: the motion before a sample, where it matters
        self.path: Path | None = None
        if self.sensor.rate is not None:
            depth += math.ceil(self.sensor.delay * self.sensor.rate - ROUNDING)
            if kind.span > 0.0:
                self.path = Path(kind.span, self.sensor.rate, kind.measured, worlds)
        measured = kind.measured if self.path is None else self.path.kept[..., 0].size
        size = measured if self.deferred else len(self.channels)
        #: (channels, memory, worlds); none where nothing is remembered
        kept = 0 if self.effects.none or self.deferred else len(self.channels)
        self.memory = np.zeros((kept, _MEMORY, worlds))
        #: (depth, channels, worlds) the last samples, when they were taken and their numbers (depth, worlds)
        self.ring, self.ring_times = np.zeros((depth, size, worlds)), np.full((depth, worlds), -np.inf)
        self.ring_index = np.zeros((depth, worlds))
        #: (worlds) samples in the ring so far
        self.filled = np.zeros(worlds)

    @property
    def arrays(self) -> list[np.ndarray]:
        """All that the next samples depend on; worlds along the last axis."""
        own = [self.memory, self.ring, self.ring_times, self.ring_index, self.filled]
        return own if self.path is None else [*own, self.path.kept]

    @property
    def schedule(self) -> tuple[float | None, bool, int, int]:
        """Rate of its instants, whether it is continuous, instants per sample, and how many of them count."""
        if self.path is None:
            return self.sensor.rate, self.continuous, 1, 1
        assert self.sensor.rate is not None
        every = self.path.every
        return self.sensor.rate * every, False, every, min(every, self.path.count)

    def forget(self, worlds: Any = slice(None)) -> None:
        """Return these worlds to before the first sample."""
        for array in (self.memory, self.ring, self.ring_index, self.filled):
            array[..., worlds] = 0.0
        self.ring_times[..., worlds] = -np.inf
        if self.path is not None:
            self.path.forget(worlds)

    def continues(self, other: Reading) -> bool:
        """Whether another one sampled as this one does, so that this one goes on from its samples."""
        mine, other_ones = self.sensor, other.sensor
        alike = all(getattr(mine, name) == getattr(other_ones, name) for name in ("type", "rate", "delay"))
        shapes = [[array.shape for array in reading.arrays] for reading in (self, other)]
        alike = alike and self.schedule == other.schedule
        if not alike or shapes[0] != shapes[1] or len(self.channels) != len(other.channels):
            return False
        return all(a.name == b.name for a, b in zip(self.channels, other.channels, strict=True))

    def take(self, numbers: np.ndarray, capture: Capture, step: np.ndarray) -> None:
        """Turn measured numbers (n, worlds) into a sample; `step` (worlds) is its interval without a rate."""
        if self.path is not None:
            self.path.add(numbers, capture.time, capture.index, capture.taken)
            number = capture.index // self.path.every
            capture = replace(capture, index=number, taken=capture.taken & (number > self._last_number()))
            if not capture.taken.any():
                return
            numbers = self.path.before(capture.time)
        values = numbers if self.deferred else self.values(numbers, capture, step)
        if len(self.ring) == 1 and capture.taken.all():
            self.ring[0], self.ring_times[0], self.ring_index[0] = values, capture.time, capture.index
            self.filled += 1.0
            return
        slot = (self.filled % len(self.ring)).astype(int)
        chosen = np.flatnonzero(capture.taken)
        self.ring[slot[chosen], :, chosen] = values[:, chosen].T
        self.ring_times[slot[chosen], chosen] = capture.time[chosen]
        self.ring_index[slot[chosen], chosen] = capture.index[chosen]
        self.filled[chosen] += 1.0

    def _last_number(self) -> np.ndarray:
        """(worlds) number of the sample that was taken last, -1 before the first."""
        slot = ((self.filled - 1.0) % len(self.ring)).astype(int)
        return np.where(self.filled > 0.0, self.ring_index[slot, np.arange(len(slot))], -1.0)

    def shown(self, time: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """(channels, worlds) what the sensor shows at a time (worlds) in the worlds of these numbers."""
        if len(self.ring) == 1:
            sample = self.ring[0].copy()
        else:
            sample = self.ring[self._slot(time), :, np.arange(len(time))].T.copy()
        return self._processed(sample, time, worlds) if self.deferred else sample

    def _processed(self, numbers: np.ndarray, time: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The values of a deferred sample; those that were read last are kept."""
        places = self._slot(time), np.arange(len(time))
        index = self.ring_index[places]
        if self._read is not None:
            last_numbers, last_index, values = self._read
            if np.array_equal(last_index, index) and np.array_equal(last_numbers, numbers):
                return values.copy()
        capture = Capture(self.ring_times[places], np.ones(len(time), bool), index, worlds, self.key)
        values = self.values(numbers, capture, np.ones(len(time)))
        self._read = numbers, index, values
        return values.copy()

    def shown_time(self, time: np.ndarray) -> np.ndarray:
        """(worlds) when that sample was taken."""
        return self.ring_times[self._slot(time), np.arange(len(time))]

    def _slot(self, time: np.ndarray) -> np.ndarray:
        """(worlds) place of the latest sample that has come through, or else of the oldest there is."""
        through = self.ring_times + self.sensor.delay <= time + ROUNDING / (self.sensor.rate or 1.0)
        latest = np.where(through, self.ring_times, -np.inf)
        known = np.where(np.isfinite(self.ring_times), self.ring_times, np.inf)
        return np.where(through.any(axis=0), latest.argmax(axis=0), known.argmin(axis=0))

    def values(self, numbers: np.ndarray, capture: Capture, step: np.ndarray) -> np.ndarray:
        """(channels, worlds) from measured numbers, imperfections included."""
        return self._imperfect(self._exact(numbers, capture), capture, step)

    def _exact(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        if not self.kind.processed:
            return np.array(numbers, dtype=float)
        numbers = np.asarray(numbers, dtype=float)
        if self.path is not None:
            times, numbers = Path.split(numbers, self.kind.measured)
            capture = replace(capture, path=times)
        values = np.array(self.kind.process(numbers, capture), dtype=float)
        expected = (len(self.channels), len(capture.time))
        if values.shape != expected:
            raise ValueError(f"{type(self.kind).__name__}.process gave {values.shape}, not {expected}")
        return values

    def _imperfect(self, values: np.ndarray, capture: Capture, step: np.ndarray) -> np.ndarray:
        if self.effects.none:
            return values
        from treadle.sensors.chain import measure

        for start, matrix in self.effects.mixing:
            x, y, z = values[start : start + 3].copy()
            for k, (a, b, c) in enumerate(matrix.tolist()):
                # term by term, so that the bits do not depend on the number of worlds
                values[start + k] = a * x + b * y + c * z
        length = step if self.sensor.rate is None else np.full(len(step), 1.0 / self.sensor.rate)
        interval = np.where(self.filled > 0.0, length, 0.0)
        memory = self.memory if len(self.memory) else np.zeros((len(values), _MEMORY, len(step)))
        measure(
            np.uint64(self.key), self.effects.table, values, memory, capture.index.astype(np.int64),
            interval, 1.0 / np.sqrt(length), capture.taken, capture.worlds.astype(np.int64),
        )  # fmt: skip
        return values


def _effects(kind: SensorKind, channels: Sequence[Channel]):
    try:
        return imperfections(channels, kind.sensor.noise, kind.effects())
    except ValueError as error:
        place = {"line": kind.sensor.line, "element": f'sensor "{kind.sensor.name}"'}
        raise ModelError(str(error), file=kind.model.file, **place) from None
