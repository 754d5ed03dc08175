"""Choosing what is plotted while the machine runs; the plots themselves are below the picture (`dock.js`)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treadle.app.dock import Dock
from treadle.app.formula import FUNCTIONS, Formula
from treadle.app.html import note_html
from treadle.app.panels.panel import Panel
from treadle.app.plot import Curve, Plot
from treadle.app.precompile import knows, twin
from treadle.app.signals import Sampling, Signals
from treadle.errors import TreadleError
from treadle.sim.simulation import Simulation
from treadle.sim.state import State

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["PlotsPanel"]

#: How many plots and curves in a plot there may be, and seconds between what pages are sent.
_MOST, _CURVES, _EVERY = 8, 12, 0.1

_NEW = "a new plot"


class PlotsPanel(Panel):
    """Choose signals or type formulas; pages are sent what was sampled since they were sent the last."""

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
        self.add = gui.add_button("Plot", hint="Plot it below the picture")
        gui.add_html(
            note_html(
                "Plots stay below the picture. Drag over one to zoom, double-click to see all. Curves of one "
                "plot can be drawn over each other (x axis); a second unit has the axis at the right."
            )
        )
        #: what pages are told of the plots
        self.dock = Dock(stage.server, stage.line)
        self._sampling: Sampling | None = None
        self._changing = threading.Lock()
        self._count, self._drawn = 0, 0.0
        self._connect()
        self._announce()

    @property
    def plots(self) -> dict[str, Plot]:
        """The plots by title."""
        return self.dock.plots

    def frame(self, sim: Simulation) -> None:
        """Sample, and send a few times per second."""
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
            self.dock.send()

    def plot(self, what: str, into: str = _NEW, formula: bool = False) -> str:
        """Plot a signal, or a formula, in a new plot or in one that is there; the title of the plot."""
        return self._plot(what, [self._formula(what)] if formula else self._curves(what), into)

    def plot_function(self, name: str, function: Callable[[Simulation], float]) -> str:
        """Plot a function of the simulation, called "name" or "name [unit]"."""
        name, _, unit = name.partition("[")
        curve = Curve(name.strip(), unit.rstrip("] "), frozenset(), lambda _: float(function(self.stage.sim)))
        return self._plot(curve.name, [curve], _NEW)

    def remove(self, title: str) -> None:
        """Take a plot away."""
        if self.plots.pop(title, None) is not None:
            self.into.options = (_NEW, *self.plots)
            self._announce()

    def opened(self, client: int) -> None:
        """Send all plots to a page that comes."""
        self._announce([client])

    def pressed(self, client: int, message: Any) -> None:
        """What someone does to a plot, see `Dock.pressed`."""
        if (title := self.dock.pressed(client, message)) is not None:
            self.remove(title)

    def edited(self, sim: Simulation) -> None:
        """After the machine was changed: the same numbers are computed anew."""
        self.signals = Signals(sim, self.stage.drive.controls)
        columns = {c for plot in self.plots.values() for curve in plot.curves for c in curve.columns}
        known = {column for column in columns if column in self.signals.units}
        self._sampling = self.signals.sampler(known) if known else None

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
            plot = self.plots[title] = Plot(title, curves)
            self.into.options = (_NEW, *self.plots)
            self._announce()
        self.stage.commands.do(lambda sim: self._fill(sim, plot))
        return title

    def _fill(self, sim: Simulation, plot: Plot) -> None:
        """Have a plot show what the history remembers; the simulation does not wait for that."""
        columns = {column for curve in plot.curves for column in curve.columns}
        states = [state for state in self.stage.history.states if state.time < sim.time]
        if not (states and columns - {"time"} and all(curve.columns for curve in plot.curves) and knows(sim)):
            return
        model, controls = sim.model, self.stage.drive.controls

        def fill() -> None:
            try:
                spare = twin(sim, model, q=states[0].q)
                plot.precede(_sampled(spare, states, Signals(spare, controls).sampler(columns)))
            except Exception:
                logging.getLogger(__name__).exception("a plot is not filled from the history")

        threading.Thread(target=fill, name="treadle plot", daemon=True).start()

    def _announce(self, clients: list[int] | None = None) -> None:
        self.dock.announce(clients)
        self._drawn = 0.0

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


def _sampled(spare: Simulation, states: list[State], sampling: Sampling) -> list[dict[str, float]]:
    """The values at states, of a simulation that is of no other use."""
    found = []
    for state in states:
        spare.restore(state)
        found.append(sampling())
    return found
