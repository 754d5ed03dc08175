"""The panel of a running machine: run, drive, quality."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from html import escape
from typing import Any

import viser

from treadle.app.controls import Control
from treadle.sim.history import History
from treadle.sim.pace import Pace
from treadle.sim.simulation import Simulation

__all__ = ["SPEEDS", "Panel", "message_html", "rows_html", "sentence"]

#: Simulated seconds per second, by what the panel calls them.
SPEEDS = {"0.1x": 0.1, "0.25x": 0.25, "0.5x": 0.5, "1x": 1.0, "2x": 2.0, "5x": 5.0, "fastest": math.inf}

#: Positions of a slider.
_NOTCHES = 200

#: Seconds that the button for it goes back.
_BACK = 2.0


class Panel:
    """Buttons, sliders and numbers; all that they do goes through the pace, whose loop they cannot stop."""

    def __init__(
        self, server: viser.ViserServer, pace: Pace, history: History, controls: Sequence[Control]
    ) -> None:
        self._pace, self._history, self._controls = pace, history, tuple(controls)
        self._start = [control.read(pace.sim) for control in controls]
        gui = server.gui
        self.message = gui.add_html("", visible=False)
        with gui.add_folder("Run"):
            self.status = gui.add_html(rows_html([("compiling the machine ...",)]))
            self.run = gui.add_button("Pause", hint="Start or pause the simulation")
            self.step = gui.add_button("Step", hint="Pause, and take a single time step")
            self.back = gui.add_button(
                f"Back {_BACK:g} s", hint=f"Rewind by {_BACK:g} s, at most to the first {history.seconds:g} s"
            )
            self.reset = gui.add_button("Reset", hint="Return to the state before the first step")
            self.speed = gui.add_dropdown(
                "speed", tuple(SPEEDS), initial_value="1x", hint="Simulated seconds per second"
            )
        #: sliders, or fields where a range has no ends, by name of actuator or joint
        self.drives: dict[str, Any] = {}
        with gui.add_folder("Drive" if pace.sim.model.actuators else "Joint torques"):
            for control, start in zip(controls, self._start, strict=True):
                self.drives[control.name] = _field(gui, control, start)
            self.release = gui.add_button("All as at the start", hint="Every command back to its first value")
            self.measured = gui.add_html("")
        with gui.add_folder("Quality"):
            self.quality = gui.add_html("")
        self._connect()

    def update(self, sim: Simulation) -> None:
        """Show time, speed and what the drives do."""
        pace = self._pace
        self.run.label = "Start" if pace.paused else "Pause"
        self.status.content = rows_html(
            [
                ("simulated time", f"{sim.time:.3f} s"),
                ("real-time factor", "paused" if pace.paused else f"{pace.factor:.2f}"),
                ("time step", f"{sim.dt:g} s, {sim.integrator}"),
            ]
        )
        rows = []
        for control in self._controls:
            values = zip(control.measure(sim), control.units)
            rows.append((control.name, *("" if x is None else f"{_plain(x)} {unit}" for x, unit in values)))
        self.measured.content = rows_html(rows, ("measured", "position", "velocity", "force"))

    def judge(self, sim: Simulation) -> None:
        """Show how far the run can be trusted."""
        found = sim.quality()
        shown = [m for m in found.measures if m.name in ("energy drift", "loop residual", "step error")]
        rows = [(m.name, f"{m.value:.3g} {m.unit}", m.rating or "") for m in shown]
        self.quality.content = rows_html(rows) + f"<p {_STYLE}>{escape(found.verdict)}</p>"

    def settle(self, sim: Simulation) -> None:
        """Bring the sliders to the commands that are in force."""
        for control in self._controls:
            field, value = self.drives[control.name], control.read(sim)
            field.value = min(max(value, control.lower), control.upper)

    def complain(self, error: BaseException) -> None:
        """Say what went wrong, until the next button is pressed."""
        self.message.content, self.message.visible = message_html(error), True

    def _connect(self) -> None:
        """What buttons and sliders do."""
        pace, history = self._pace, self._history
        for control in self._controls:
            field = self.drives[control.name]
            # the value is read when it is set: of several changes that overtake one another the last counts
            field.on_update(
                lambda _, control=control, field=field: self._send(
                    lambda sim: control.write(sim, float(field.value))
                )
            )

        def toggle(_: Any) -> None:
            self.message.visible = False
            if pace.paused:
                pace.resume()
            else:
                pace.pause()
            self.run.label = "Start" if pace.paused else "Pause"

        def rewind(sim: Simulation) -> None:
            history.rewind(min(_BACK, sim.time - history.start))
            self.settle(sim)

        def reset(sim: Simulation) -> None:
            sim.reset()
            self.settle(sim)

        def release(sim: Simulation) -> None:
            for control, start in zip(self._controls, self._start, strict=True):
                control.write(sim, start)
            self.settle(sim)

        self.run.on_click(toggle)
        self.step.on_click(lambda _: self._watch(pace.step()))
        self.back.on_click(lambda _: self._send(rewind))
        self.reset.on_click(lambda _: self._send(reset))
        self.release.on_click(lambda _: self._send(release))
        self.speed.on_update(lambda _: setattr(pace, "speed", SPEEDS[self.speed.value]))

    def _send(self, command: Callable[[Simulation], Any]) -> None:
        self._watch(self._pace.send(command))

    def _watch(self, future: Future[Any]) -> None:
        """Show the error of a command, if it has one."""
        self.message.visible = False

        def done(future: Future[Any]) -> None:
            error = future.exception()
            if error is not None:
                self.complain(error)

        future.add_done_callback(done)


_STYLE = 'style="font-size: 0.8em; margin: 0.3em 1em; line-height: 1.4"'


def rows_html(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A small table."""
    lines = [f"<tr>{''.join(f'<th align=left>{escape(text)}</th>' for text in head)}</tr>"] if head else []
    lines += [f"<tr>{''.join(f'<td nowrap>{escape(text)}</td>' for text in row)}</tr>" for row in rows]
    return f'<table {_STYLE} cellspacing="4">{"".join(lines)}</table>'


def message_html(error: BaseException | str) -> str:
    """An error as a line that is seen."""
    return f'<p style="color: #b00020; font-size: 0.85em; margin: 0.5em 1em">{escape(sentence(error))}</p>'


def sentence(error: BaseException | str) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _plain(value: float) -> str:
    """A number to read at a glance, with four decimals where it is small."""
    return f"{round(value, 4) + 0.0:.4f}" if abs(value) < 100.0 else f"{value:.0f}"


def _field(gui: viser.GuiApi, control: Control, start: float) -> Any:
    """A slider over the range, or a field for any number where the range has no ends."""
    label = f"{control.name} ({control.unit})"
    low, high = control.lower, control.upper
    if math.isfinite(low) and math.isfinite(high) and low < high:
        value = min(max(start, low), high)
        hint = f"{control.hint}, from {low:.4g} to {high:.4g}"
        return gui.add_slider(label, low, high, (high - low) / _NOTCHES, value, hint=hint)
    return gui.add_number(label, float(start), step=0.01, hint=control.hint)
