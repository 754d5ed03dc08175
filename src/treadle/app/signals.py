"""All numbers of a running machine by name, and a sampler of those that are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treadle.app.controls import Control
from treadle.sim.recording.signals import available
from treadle.sim.recording.signals.sampler import Sampler
from treadle.sim.recording.signals.select import UserSignal
from treadle.sim.simulation import Simulation

__all__ = ["Signals"]


class Signals:
    """Columns of numbers: everything that can be recorded, and the commands and forces of the drives."""

    def __init__(self, sim: Simulation, controls: Sequence[Control]) -> None:
        self._sim = sim
        self._signals = available(sim.model)
        self._own = {signal.name: signal for control in controls for signal in _drive(control)}
        #: units by name of column
        self.units: dict[str, str] = {}
        # the signal that each column is of
        self._owner: dict[str, str] = {}
        for name, signal in self._signals.items():
            for column, unit in zip(signal.layout.columns, signal.layout.units):
                self.units[column], self._owner[column] = unit, name
        for name, own in self._own.items():
            self.units[name], self._owner[name] = own.unit, name

    def names(self) -> list[str]:
        """Signals to choose from; those with several components have several columns."""
        return [*self._own, *self._signals]

    def columns(self, signal: str) -> list[str]:
        """The columns of a signal."""
        return [signal] if signal in self._own else self._signals[signal].layout.columns

    def sampler(self, columns: Iterable[str]) -> Sampling:
        """A function of the simulation that gives these columns; compiled where it has to be."""
        wanted = {self._owner[column] for column in columns if column != "time"}
        signals = [signal for name, signal in self._signals.items() if name in wanted]
        own = [signal for name, signal in self._own.items() if name in wanted]
        return Sampling(Sampler(self._sim, signals, own))


class Sampling:
    """Values now, by name of column."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._columns = [column for layout in sampler.layouts for column in layout.columns]
        self._row = np.zeros(sampler.width)

    def __call__(self) -> dict[str, float]:
        """Time and all columns."""
        self._sampler.sample(self._row)
        return dict(zip(["time", *self._columns], self._row.tolist(), strict=True))


def _drive(control: Control) -> list[UserSignal]:
    return [
        UserSignal(f"drive.{control.name}.command", control.unit, control.read),
        UserSignal(f"drive.{control.name}.force", control.units[2], lambda sim: control.measure(sim)[2]),
    ]
