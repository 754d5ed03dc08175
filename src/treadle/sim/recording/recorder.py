"""A recording in progress."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from os import PathLike
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treadle.errors import InputError
from treadle.model.values import path_of
from treadle.sim.recording.header import Header
from treadle.sim.recording.signals.sampler import Sampler
from treadle.sim.recording.signals.select import Wanted, select
from treadle.sim.recording.writers import check_suffix, open_writer

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Recorder"]

#: Samples per second unless a rate is given.
_RATE = 100.0

#: Seconds, simulated or of the clock on the wall, after which samples go to the file.
_FLUSH = 1.0

#: Numbers kept in memory at most.
_MOST_NUMBERS = 1 << 18


class Recorder:
    """Samples of a simulation on their way to a file, from now on until `close()` or the end of `with`.

    Samples are taken every so many whole steps, the first of them at once. They go to the file after
    every second, simulated or of the clock on the wall, whichever comes first: a process that is killed
    loses at most that much. Where writing fails the step that wanted to write raises one RecordingError;
    the simulation keeps its state and can go on, unrecorded.
    """

    def __init__(
        self,
        sim: Simulation,
        path: str | PathLike[str],
        signals: Sequence[Wanted] | None = None,
        rate: float | None = None,
    ) -> None:
        self.path = path_of(path)
        check_suffix(self.path)
        self._sim = sim
        self._wanted_rate = _check_rate(rate, sim.dt)
        self._sampler = Sampler(sim, *select(sim.model, signals))
        #: samples taken so far
        self.count = 0
        self.closed = False
        self._block = np.empty((max(1, _MOST_NUMBERS // self._sampler.width), self._sampler.width))
        self._filled = 0
        self._steps_since = 0
        header = Header.of(sim, self.rate, self._sampler.layouts)
        self._writer = open_writer(self.path, header)
        self._flushed = (sim.time, monotonic())
        sim.observers.append(self)
        # a script that ends without closing still leaves a whole file
        atexit.register(self.close)
        # from the beginning there is a file that can be read
        self._sample()
        self.flush()

    @property
    def rate(self) -> float:
        """Samples per second: what was asked for, with whole steps between samples."""
        return 1.0 / (self._stride() * self._sim.dt)

    @property
    def signals(self) -> list[str]:
        """Names of what is recorded."""
        return [layout.name for layout in self._sampler.layouts]

    def due(self) -> int:
        """Steps until the next sample."""
        return max(1, self._stride() - self._steps_since)

    def advanced(self, count: int) -> None:
        """Sample if it is time to."""
        self._steps_since += count
        if self._steps_since >= self._stride():
            self._steps_since = 0
            self._sample()

    def rebuilt(self) -> None:
        """Go on with a changed machine; signals of parts that are gone are no numbers from here on."""
        self._sampler.rebuild()

    def flush(self) -> None:
        """Hand all samples to the operating system, from where they outlive this process."""
        rows, self._filled = self._block[: self._filled], 0
        self._flushed = (self._sim.time, monotonic())
        if len(rows):
            try:
                self._writer.add(rows)
            except BaseException:
                self._detach()
                self._writer.abandon()
                raise

    def close(self) -> None:
        """Write what is left and finish the file."""
        if not self.closed:
            self.flush()
            self._detach()
            self._writer.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _stride(self) -> int:
        """Whole steps from sample to sample."""
        return max(1, round(1.0 / (self._wanted_rate * self._sim.dt)))

    def _sample(self) -> None:
        try:
            self._sampler.sample(self._block[self._filled])
        except Exception:
            self.close()
            raise
        self._filled += 1
        self.count += 1
        simulated, passed = self._flushed
        full = self._filled == len(self._block)
        # half a nanosecond allows for the rounding of times
        second = self._sim.time - simulated >= _FLUSH - 5e-10 or monotonic() - passed >= _FLUSH
        if full or second:
            self.flush()

    def _detach(self) -> None:
        self.closed = True
        atexit.unregister(self.close)
        if self in self._sim.observers:
            self._sim.observers.remove(self)


def _check_rate(rate: Any, dt: float) -> float:
    """The rate in samples per second, not above one per step."""
    if rate is None:
        return min(_RATE, 1.0 / dt)
    try:
        value = float(rate)
    except (TypeError, ValueError):
        value = float("nan")
    if not (np.isfinite(value) and value > 0.0):
        raise InputError(f"rate must be a positive number of samples per second, not {rate!r}")
    if value * dt > 1.0 + 1e-9:
        raise InputError(
            f"rate = {value:g} asks for more than one sample per step: "
            f"with dt = {dt:g} s it can be {1 / dt:g} at most"
        )
    return value
