"""Plots of any signal while the machine runs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viser

from treadle.app.formula import FUNCTIONS, Formula
from treadle.app.html import note_html
from treadle.app.panels.panel import Panel
from treadle.app.plot import Curve, Plot
from treadle.app.signals import Sampling, Signals
from treadle.errors import TreadleError
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["PlotsPanel"]

#: How many plots and curves in a plot there may be, and seconds between two drawings.
_MOST, _CURVES, _EVERY = 8, 12, 0.1

_NEW = "a new plot"


class PlotsPanel(Panel):
    """Choose signals or type formulas; each plot can be paused, saved and removed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        self.signals = Signals(stage.sim, stage.drive.controls)
        groups: dict[str, list[str]] = {}
        for name in self.signals.names():
            group, _, quantity = name.rpartition(".")
            groups.setdefault(group, []).append(quantity)
        self._groups = groups
        first = next(iter(groups))
        self.of = gui.add_dropdown("of", tuple(groups), hint="Joint, body or drive to plot something of")
        self.quantity: Any = gui.add_dropdown(
            "quantity", tuple(groups[first]), hint="What to plot, in SI units"
        )
        self.formula = gui.add_text(
            "or formula",
            "",
            hint=f"Such as joint.lift.velocity * 2, with {', '.join(FUNCTIONS)}; goes before the signal",
        )
        self.into: Any = gui.add_dropdown("into", (_NEW,), hint="The plot that it goes into")
        self.add = gui.add_button("Plot", hint="Plot it over time")
        gui.add_html(note_html("Drag over a plot to zoom, double-click to see all."))
        self._place = gui.add_folder(None)
        #: the plots by title, and their folders
        self.plots: dict[str, Plot] = {}
        self._folders: dict[str, viser.GuiFolderHandle] = {}
        self._sampling: Sampling | None = None
        self._changing = threading.Lock()
        self._count, self._drawn = 0, 0.0
        self._connect()

    def frame(self, sim: Simulation) -> None:
        """Sample, and draw a few times per second."""
        sampling, plots = self._sampling, tuple(self.plots.values())
        if not plots or self.stage.run.looking is not None:
            return
        values = {"time": sim.time} if sampling is None else sampling()
        for plot in plots:
            if plot.curves and all(curve.columns <= values.keys() for curve in plot.curves):
                plot.sample(values)
        now = time.monotonic()
        if self.stage.pace.paused or now - self._drawn >= _EVERY:
            self._drawn = now
            for plot in plots:
                plot.draw()

    def plot(self, what: str, into: str = _NEW, formula: bool = False) -> str:
        """Plot a signal, or a formula, in a new plot or in one that is there; the title of the plot."""
        return self._plot(what, [self._formula(what)] if formula else self._curves(what), into)

    def plot_function(self, name: str, function: Callable[[Simulation], float]) -> str:
        """Plot a function of the simulation, called "name" or "name [unit]"."""
        name, _, unit = name.partition("[")
        curve = Curve(name.strip(), unit.rstrip("] "), frozenset(), lambda _: float(function(self.stage.sim)))
        return self._plot(curve.name, [curve], _NEW)

    def _plot(self, what: str, curves: list[Curve], into: str) -> str:
        with self._changing:
            title = into
            if into in self.plots:
                curves = self.plots[into].curves + curves
            else:
                if len(self.plots) >= _MOST:
                    self.stage.complain(f"there are {_MOST} plots already; remove one before you add more")
                    return ""
                self._count += 1
                title = f"{self._count}: {what}"
            if len(curves) > _CURVES:
                self.stage.complain(f"a plot has at most {_CURVES} curves; make a new plot for {what}")
                return ""
            # compiled here, so that the simulation does not wait for it
            others = [c for name, plot in self.plots.items() if name != title for c in plot.curves]
            columns = {column for curve in [*others, *curves] for column in curve.columns}
            self._sampling = self.signals.sampler(columns) if columns - {"time"} else None
            self._put(title, curves)
        self.stage.commands.do(lambda sim: None)
        return title

    def remove(self, title: str) -> None:
        """Take a plot away."""
        if self.plots.pop(title, None) is not None:
            self._folders.pop(title).remove()
            self.into.options = (_NEW, *self.plots)

    def edited(self, sim: Simulation) -> None:
        """After the machine was changed: the same numbers are computed anew."""
        self.signals = Signals(sim, self.stage.drive.controls)
        columns = {c for plot in self.plots.values() for curve in plot.curves for c in curve.columns}
        known = {column for column in columns if column in self.signals.units}
        self._sampling = self.signals.sampler(known) if known else None

    def _put(self, title: str, curves: list[Curve]) -> None:
        """A plot with these curves in place of what is there."""
        gui = self.stage.server.gui
        if title in self._folders:
            self.plots.pop(title)
            self._folders.pop(title).remove()
        with self._place, gui.add_folder(title) as folder:
            plot = Plot(gui, title, curves)
            buttons = gui.add_button_group(
                "plot",
                ("Pause", "PNG", "CSV", "Remove"),
                hint="Stop drawing; save as picture or table",
            )

        def pressed(event: Any) -> None:
            stem = "".join(c if c.isalnum() else "-" for c in title)
            match event.target.value:
                case "Pause":
                    plot.paused = not plot.paused
                case "Remove":
                    self.remove(title)
                case "CSV" if event.client is not None:
                    event.client.send_file_download(f"{stem}.csv", plot.csv(), save_immediately=True)
                case "PNG" if event.client is not None:
                    script = f"window.treadle.plot({json.dumps(title)}, {json.dumps(stem + '.png')})"
                    self.stage.script(script, [event.client.client_id])

        buttons.on_click(pressed)
        self.plots[title], self._folders[title] = plot, folder
        self.into.options = (_NEW, *self.plots)

    def _curves(self, signal: str) -> list[Curve]:
        units = self.signals.units
        return [
            Curve(column, units[column], frozenset([column]), lambda values, column=column: values[column])
            for column in self.signals.columns(signal)
        ]

    def _formula(self, text: str) -> Curve:
        formula = Formula(text, ["time", *self.signals.units])
        return Curve(formula.text, "", frozenset(formula.names), formula)

    def _connect(self) -> None:
        def chosen(_: Any) -> None:
            self.quantity.options = tuple(self._groups[self.of.value])

        def add(_: Any) -> None:
            self.stage.forgive()
            text = self.formula.value.strip()
            try:
                self.plot(text or f"{self.of.value}.{self.quantity.value}", self.into.value, bool(text))
            except TreadleError as error:
                self.stage.complain(error)

        self.of.on_update(chosen)
        self.add.on_click(add)
