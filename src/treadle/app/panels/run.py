"""Start, pause, step, reset, speed, time, and the method of integration."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any

from treadle.app.contact_marks import ContactMarks
from treadle.app.html import rows_html
from treadle.app.panels.panel import Panel, put
from treadle.integrators import INTEGRATORS
from treadle.native.progress import Compilation, compilation
from treadle.sim.simulation import Simulation
from treadle.solvers import SOLVERS
from treadle.solvers.stabilization import STABILIZATIONS

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["SPEEDS", "RunPanel", "progress_lines"]

#: Simulated seconds per second, by what the panel calls them.
SPEEDS = {"0.1x": 0.1, "0.25x": 0.25, "0.5x": 0.5, "1x": 1.0, "2x": 2.0, "5x": 5.0, "fastest": math.inf}

#: Seconds that the button for it goes back, and between the pictures of a replay.
_BACK, _PICTURE = 5.0, 1.0 / 30.0

#: Marks that the timeline may have.
_MARKS = 100

#: Seconds between lines about the progress of the compiler.
_TELL = 0.5


class RunPanel(Panel):
    """Drives time. A past time on the slider is only looked at, until the run goes on from there."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui, sim = stage.server.gui, stage.sim
        self.status = gui.add_html(rows_html([("preparing the machine ...",)]))
        self.run = gui.add_button("Pause", hint="Start or pause the simulation (space bar)")
        self.buttons = gui.add_button_group(
            "go",
            ("Step", f"Back {_BACK:g} s", "Replay", "Reset"),
            hint=f"one time step (key N); {_BACK:g} s back; show the last seconds again; return to the start "
            "(Backspace)",
        )
        self.slider = gui.add_slider(
            "time (s)",
            0.0,
            1e-3,
            1e-3,
            0.0,
            hint="Simulated time in s: look back; start goes on from there",
        )
        self.speed = gui.add_dropdown(
            "speed", tuple(SPEEDS), initial_value="1x", hint="Simulated seconds per second"
        )
        with gui.add_folder("Method", expand_by_default=False):
            self.integrator = gui.add_dropdown(
                "integrator", tuple(INTEGRATORS), initial_value=sim.integrator, hint="Method of integration"
            )
            self.solver = gui.add_dropdown(
                "solver",
                tuple(SOLVERS),
                initial_value=sim.solver,
                hint="Finds the forces of loops and stops",
            )
            self.closing = gui.add_dropdown(
                "loops by",
                tuple(STABILIZATIONS),
                initial_value=sim.stabilization,
                hint="How loops stay closed",
            )
            self.dt = gui.add_number(
                "time step (ms)", 1e3 * sim.dt, min=1e-3, max=100.0, step=0.01, hint="Time step in ms"
            )
        #: the past time that is looked at, in seconds
        self.looking: float | None = None
        #: what is marked on the timeline: time (s), kind ("bookmark" or "edit") and what it is
        self.marks: list[tuple[float, str, str]] = []
        #: and when bodies began to touch
        self.contacts = ContactMarks(sim)
        # what pages were sent last
        self._sent: list[tuple[float, str, str]] = []
        self._told: dict[str, float] = {}
        # those of the machine before
        stage.line.send({"marks": []})
        self._replay = threading.Event()
        self._ready = threading.Event()
        self._enable(False)
        self._connect()

    def await_first(self) -> None:
        """Say what is being compiled and how long it takes, until the first frame; returns at once."""
        loop = threading.get_ident()

        def tell() -> None:
            begun = time.monotonic()
            while not self._ready.wait(_TELL) and not self.stage.closed:
                task, passed = compilation(loop), time.monotonic() - begun
                lines = progress_lines(task, passed)
                self.status.content = rows_html([(line,) for line in lines])
                share = None if task is None else min(task.passed / max(task.expected, 1.0), 1.0)
                self.stage.line.send({"busy": {"lines": lines, "share": share}})
            self.stage.line.send({"busy": None})

        if not self._ready.is_set():
            threading.Thread(target=tell, name="treadle progress", daemon=True).start()

    def numbers(self, sim: Simulation) -> None:
        """Time, speed, and the range of the slider."""
        pace, driver_lock = self.stage.pace, self.stage.driver_lock
        if not self._ready.is_set():
            self._ready.set()
            self._enable(True)
        self.run.label = "Start" if pace.paused else "Pause"
        shown = sim.time if self.looking is None else self.looking
        rows = [
            ("simulated time", f"{shown:.3f} s" + ("" if self.looking is None else f" of {sim.time:.3f} s")),
            ("real-time factor", "paused" if pace.paused else f"{pace.factor:.2f}"),
        ]
        if len(driver_lock) > 1:
            rows.append(("pages open", f"{len(driver_lock)}, one drives"))
        dropped = sum(self.stage.server.guard.dropped.values()) + self.stage.commands.dropped
        if dropped:
            rows.append(("messages dropped", str(dropped)))
        self.status.content = rows_html(rows)
        low, high = self.stage.history.first, max(sim.time, self.stage.history.first + 1e-3)
        if (self.slider.min, self.slider.max) != (low, high):
            self.slider.min, self.slider.max = low, high
        put(self.slider, shown)
        self._told = {"start": low, "exact": self.stage.history.start, "now": sim.time, "shown": shown}
        self.stage.line.send({"run": self._told})
        marks = self.all_marks(sim)
        if marks != self._sent:
            self._sent = marks
            self.stage.line.send({"marks": marks})

    def opened(self, client: int) -> None:
        """Send the timeline to a page that comes; a run that is paused sends nothing by itself."""
        self.stage.line.send({"marks": self._sent}, [client])
        if self._told:
            self.stage.line.send({"run": self._told}, [client])

    def all_marks(self, sim: Simulation) -> list[tuple[float, str, str]]:
        """Time (s), kind and text of bookmarks, edits, events and contacts that can be looked back at."""
        contacts = [(time, "contact", text) for time, text in tuple(self.contacts.marks)]
        events = [(entry.time, "event", entry.name) for entry in sim.events.log[-_MARKS:]]
        # what matters more is drawn over what matters less
        found = [*contacts, *events, *self.marks]
        return [(round(time, 4), kind, text) for time, kind, text in found if time <= sim.time]

    def close(self) -> None:
        """End the threads that tell and replay."""
        self._ready.set()
        self._replay.clear()
        self.contacts.close()

    def mark(self, kind: str, text: str) -> None:
        """Mark the time that is shown on the timeline."""
        time = self.stage.sim.time if self.looking is None else self.looking
        self.marks = [*self.marks[-_MARKS + 1 :], (time, kind, text)]
        self.stage.commands.do(lambda sim: None)

    def edited(self, sim: Simulation) -> None:
        """Mark that the machine was changed."""
        self.mark("edit", "the machine was changed")

    def toggle(self) -> None:
        """Start or pause; from a past time that is looked at, go on from there."""
        pace = self.stage.pace
        self.stage.forgive()
        self._replay.clear()
        if not pace.paused:
            pace.pause()
            self.stage.commands.do(lambda sim: None)
            return

        def go_on(sim: Simulation) -> None:
            self._rewind(sim)
            pace.resume()

        self.stage.commands.do(go_on)

    def step(self) -> None:
        """Pause, and take one step."""
        self.stage.pace.pause()

        def one(sim: Simulation) -> None:
            self._rewind(sim)
            sim.step()

        self._send(one)

    def back(self) -> None:
        """Go back by some seconds."""

        def rewind(sim: Simulation) -> None:
            self._rewind(sim)
            history = self.stage.history
            history.rewind(min(_BACK, sim.time - history.start))
            self.stage.settle(sim)

        self._send(rewind)

    def reset(self) -> None:
        """Return to the state before the first step."""

        def restart(sim: Simulation) -> None:
            self.looking, self.marks = None, []
            sim.reset()
            self.stage.settle(sim)

        self._send(restart)

    def look(self, seconds: float) -> None:
        """Pause, and show a past time."""
        self.stage.pace.pause()

        def show(sim: Simulation) -> None:
            self.looking = None if seconds >= sim.time - 0.5 * sim.dt else seconds

        self._send(show)

    def shown(self, sim: Simulation) -> Any:
        """Positions to show: those of now, or of the time that is looked at."""
        return sim.q if self.looking is None else self.stage.history.at(self.looking).q

    def replay(self) -> None:
        """Show the seconds that are remembered once more, up to now."""
        self.stage.pace.pause()
        self._replay.set()

        def play() -> None:
            history, pace = self.stage.history, self.stage.pace
            begun, first = time.monotonic(), history.start
            while self._replay.is_set() and not self.stage.closed:
                speed = pace.speed if math.isfinite(pace.speed) else 5.0
                seconds = first + speed * (time.monotonic() - begun)
                self.look(seconds)
                if seconds >= self.stage.sim.time:
                    break
                time.sleep(_PICTURE)

        threading.Thread(target=play, name="treadle replay", daemon=True).start()

    def _rewind(self, sim: Simulation) -> None:
        """Make the time that is looked at the present."""
        seconds, self.looking = self.looking, None
        if seconds is not None:
            self.stage.history.return_to(min(seconds, sim.time))
            self.stage.settle(sim)

    def _send(self, command: Any) -> None:
        self.stage.forgive()
        self.stage.commands.do(command)

    def _connect(self) -> None:
        actions = {"Step": self.step, "Replay": self.replay, "Reset": self.reset}
        self.run.on_click(lambda _: self.toggle())

        async def pressed(event: Any) -> None:
            if event.target.value != "Replay":
                self._replay.clear()
            actions.get(event.target.value, self.back)()

        async def moved(event: Any) -> None:
            self._replay.clear()
            self.look(float(self.slider.value))

        self.buttons.on_click(pressed)
        self.slider.on_update(moved)
        self.speed.on_update(lambda _: setattr(self.stage.pace, "speed", SPEEDS[self.speed.value]))
        for field, name in self._methods():
            field.on_update(
                lambda _, field=field, name=name: self._send(lambda sim: _choose(sim, field, name))
            )
        self.dt.on_update(lambda _: self._send(lambda sim: setattr(sim, "dt", 1e-3 * float(self.dt.value))))

    def _enable(self, ready: bool) -> None:
        """Let the buttons be pressed, once there is something to be run."""
        # a group of buttons cannot be greyed, so it comes later
        self.buttons.visible = ready
        for control in (self.run, self.slider):
            control.disabled = not ready

    def _methods(self) -> list[tuple[Any, str]]:
        """Fields of the method, and the attributes of the simulation that they set."""
        return [(self.integrator, "integrator"), (self.solver, "solver"), (self.closing, "stabilization")]


def progress_lines(task: Compilation | None, passed: float) -> list[str]:
    """What the page says while a machine is being compiled, that has taken so long (s) together."""
    if task is None:
        return [f"preparing the machine: {passed:.0f} s"]
    expected = max(task.expected, 1.0)
    done = f"{task.passed:.0f} s of about {expected:.0f} s"
    if task.passed > expected:
        done = f"{task.passed:.0f} s, expected {expected:.0f} s; the computer is busy"
    return [f"compiling {task.what}: {done}", "done once on this computer; the buttons wait for it"]


def _choose(sim: Simulation, field: Any, name: str) -> None:
    """Take another method; where it does not go with the machine the field goes back."""
    try:
        setattr(sim, name, str(field.value))
    finally:
        put(field, getattr(sim, name))
