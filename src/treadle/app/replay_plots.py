"""Plots of a recording: any of its numbers, over all of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser

from treadle.app.dock import Dock
from treadle.app.html import note_html
from treadle.app.plot import Curve, Plot
from treadle.sim.recording import Recording

__all__ = ["ReplayPlots", "recorded_plot"]

#: Samples of a recording that are drawn at most, and plots.
_SAMPLES, _MOST = 8000, 8

_NEW = "a new plot"


class ReplayPlots:
    """Choose signals of a recording; they are drawn in the dock below the picture."""

    def __init__(self, gui: viser.GuiApi, dock: Dock, recording: Recording) -> None:
        self._dock, self._recording, self._count = dock, recording, 0
        groups: dict[str, list[str]] = {}
        for name in recording.names:
            group, _, quantity = name.rpartition(".")
            groups.setdefault(group, []).append(quantity)
        first = next(iter(groups))
        self.of = gui.add_dropdown("of", tuple(groups), hint="Joint, body or drive to plot something of")
        self.quantity: Any = gui.add_dropdown(
            "quantity", tuple(groups[first]), hint="What to plot, in SI units"
        )
        self.into: Any = gui.add_dropdown("into", (_NEW,), hint="The plot that it goes into")
        self.add = gui.add_button("Plot", hint="Plot it below the picture")
        gui.add_html(note_html("Plots stay below the picture; a line marks the time that is shown."))
        self.of.on_update(lambda _: setattr(self.quantity, "options", tuple(groups[self.of.value])))

        def add(_: Any) -> None:
            self.plot(f"{self.of.value}.{self.quantity.value}", self.into.value)

        self.add.on_click(add)

    def plot(self, name: str, into: str = _NEW) -> str | None:
        """Plot a signal in a new plot, or in one that is there; its title, None where there are too many."""
        before = self._dock.plots.get(into)
        if before is None and len(self._dock.plots) >= _MOST:
            return None
        names = [] if before is None else [curve.name for curve in before.curves]
        if before is None:
            self._count += 1
        title = f"{self._count}: {name}" if before is None else into
        columns = [column for column in _columns(self._recording, name) if column not in names]
        self._dock.plots[title] = recorded_plot(self._recording, title, [*names, *columns])
        self._changed()
        return title

    def pressed(self, client: int, message: Any) -> None:
        """What someone does to a plot, see `Dock.pressed`."""
        if (title := self._dock.pressed(client, message)) is not None:
            self._dock.plots.pop(title, None)
            self._changed()

    def _changed(self) -> None:
        self.into.options = (_NEW, *self._dock.plots)
        self._dock.announce()
        self._dock.send(once=True)


def recorded_plot(recording: Recording, title: str, columns: list[str]) -> Plot:
    """A plot of columns of a recording, over all of it."""
    curves = [
        Curve(name, str(recording.unit(name)), frozenset([name]), lambda values, name=name: values[name])
        for name in columns
    ]
    plot = Plot(title, curves)
    stride = max(1, -(-len(recording) // _SAMPLES))
    table = np.column_stack([recording.time, *(recording[name] for name in columns)])[::stride]
    plot.precede([dict(zip(["time", *columns], row, strict=True)) for row in table.tolist()])
    return plot


def _columns(recording: Recording, signal: str) -> list[str]:
    parts = recording.components(signal)
    return [f"{signal}.{part}" for part in parts] if parts else [signal]
