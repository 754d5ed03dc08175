"""When sensors sample: pieces of steps that end at samples, partial steps for those inside a step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np

from treadle.model.model import Model
from treadle.sensors.bank import Group, SensorBank
from treadle.sensors.kind import Capture
from treadle.sensors.reading import ROUNDING
from treadle.terrain import Terrain

__all__ = ["Port", "Sampling"]


class Port(Protocol):
    """What samples are taken of: a simulation, or the worlds of a batch."""

    def times(self) -> np.ndarray:
        """(worlds) seconds."""
        ...

    def steps(self) -> np.ndarray:
        """(worlds) length of the next step in seconds."""
        ...

    def running(self) -> np.ndarray:
        """(worlds) which of them move on."""
        ...

    def fresh(self) -> bool:
        """Whether no step was taken yet, so that the state may still be set."""
        ...

    def measured(self, group: Group, time: np.ndarray) -> np.ndarray:
        """(numbers, worlds) what the sensors of a group measure at the present state."""
        ...

    def after(self, spans: np.ndarray, look: Callable[[], None]) -> None:
        """Call `look` at the state so many seconds (worlds) into the next step, and return to its start."""
        ...


class Sampling:
    """Samples of all sensors of a simulation or batch, at their own instants."""

    def __init__(
        self, model: Model, worlds: int, port: Port, first: int = 0, terrain: Terrain | None = None
    ) -> None:
        self.bank = SensorBank(model, worlds, first, terrain)
        self._port = port
        #: state before samples that lie inside a step which is not finished yet
        self._before: np.ndarray | None = None
        #: whether the samples are those of a restored state, which go before the present one
        self._restored = False

    def due(self) -> int:
        """Steps from now that can be taken in one go: up to a sample, or up to the step that it lies in."""
        best = np.inf
        running = self._port.running()
        if not self.bank.sampling or not running.any():
            return 1 << 30
        time, step = self._port.times(), self._port.steps()
        for group in self.bank.sampling:
            if group.rate is None:
                return 1
            left = ((group.next_time(time) - time) / step)[running]
            whole = np.round(left)
            on_grid = np.abs(left - whole) * step[running] * group.rate <= ROUNDING
            best = min(best, float(np.where(on_grid, whole, np.floor(left)).min()))
        return max(1, int(min(best, 1 << 30)))

    def before_steps(self) -> None:
        """Take the samples that lie inside the next step, and the first ones of all."""
        self._unwind()
        self.prime()
        kept = None
        time, step, running = self._port.times(), self._port.steps(), self._port.running()
        for group in self.bank.sampling:
            if group.rate is None:
                continue
            slack = ROUNDING / group.rate
            while True:
                due = group.next_time(time)
                inside = running & (due > time + slack) & (due < time + step - slack)
                if not inside.any():
                    break
                kept = self.bank.save() if kept is None else kept
                at = np.where(inside, due, time + step)
                self._port.after(at - time, partial(self._take, group, at, inside))
        self._before = kept

    def after_steps(self, taken: int) -> None:
        """Take the samples that lie at the present time."""
        if not taken:
            self._unwind()
            return
        self._before = None
        time, running = self._port.times(), self._port.running()
        for group in self.bank.sampling:
            due = running & (
                group.next_time(time) <= time + (0.0 if group.rate is None else ROUNDING / group.rate)
            )
            if due.any():
                self._take(group, time, due)

    def prime(self) -> None:
        """Take the first samples where there are none; before the first step they follow the state."""
        if self._port.fresh():
            self.begin()
        time = self._port.times()
        for group in self.bank.sampling:
            none = group.last < 0.0
            if none.any():
                self._take(group, time, none)
            if any((reading.filled == 0.0).any() for reading in group.readings):
                self.bank.take_first(group, self._port.measured(group, time), time, self._port.steps())

    def value(self, name: str) -> np.ndarray:
        """(channels, worlds) what a sensor shows."""
        self._unwind()
        reading, group = self.bank.readings[name], self.bank.group_of(name)
        time = self._port.times()
        if group.continuous:
            numbers = self._port.measured(group, time)
            part = next(part for other, part in group.parts() if other is reading)
            # random numbers of its own change from step to step
            index = np.round(time / self._port.steps())
            capture = Capture(time, np.ones(len(time), bool), index, self.bank.worlds, reading.key)
            return reading.values(numbers[part], capture, self._port.steps())
        if self._port.fresh() or (reading.filled == 0.0).any():
            self.prime()
        return reading.shown(time, self.bank.worlds)

    def sample_time(self, name: str) -> np.ndarray:
        """(worlds) when the sample was taken that a sensor shows."""
        reading = self.bank.readings[name]
        time = self._port.times()
        if reading.continuous:
            return time
        self.value(name)
        return reading.shown_time(time)

    def begin(self) -> None:
        """Return to before the first sample, unless the run continues from a restored state."""
        self._before = None
        if not self._restored:
            self.bank.forget()

    def forget(self, worlds: np.ndarray) -> None:
        """Let these worlds begin before their first sample."""
        self._unwind()
        self.bank.forget(worlds)

    def belong(self, port: Port) -> None:
        """Go over to another port onto the same machine."""
        self._port = port

    def save(self) -> np.ndarray:
        """(numbers, worlds) all that the next samples depend on."""
        self._unwind()
        return self.bank.save()

    def restore(self, state: np.ndarray) -> None:
        """Return to a saved state."""
        self._before = None
        fits = self.bank.restore(state)
        self.bank.forget_after(self._port.times())
        self._restored = fits and any((group.last >= 0.0).any() for group in self.bank.sampling)

    def _take(self, group: Group, time: np.ndarray, taken: np.ndarray) -> None:
        self.bank.take(group, self._port.measured(group, time), time, taken, self._port.steps())

    def _unwind(self) -> None:
        """Drop samples that lie inside a step which was not taken."""
        if self._before is not None:
            self.bank.restore(self._before)
            self._before = None
