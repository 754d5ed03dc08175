"""A simulation that runs in real time behind the page.

with Live(open_server(), td.Simulation(model)) as live:
    live.start()
    input("Enter ends it")
"""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

import viser
from numpy.typing import ArrayLike

from treadle.app.closing import Closing
from treadle.app.driver_lock import DriverLock
from treadle.app.gc_freeze import Freezer, freeze_objects, unfreeze_objects
from treadle.app.page_line import PageLine
from treadle.app.page_looks import connect_looks
from treadle.app.server import Server
from treadle.app.stage import RATE, Stage
from treadle.errors import InputError
from treadle.sim.realtime_loop import Pace
from treadle.sim.simulation import Simulation

__all__ = ["Live"]


class Live(Closing):
    """A server that shows and drives a simulation, which runs in a thread of its own until `close()`."""

    def __init__(self, server: Server, sim: Simulation) -> None:
        self.server = server
        self.driver_lock = DriverLock(server)
        self.line = PageLine(server, self.driver_lock)
        self._freezer = Freezer()
        self._set_stage(sim)
        self.line.on("down", self._key_down)
        self.line.on("up", self._key_up, drives=False)
        self.line.on("scene", self._open_scene, drives=False)
        self.line.on("pad", self._pad)
        self.line.on("look", self._look_back)
        connect_looks(server, self.line)
        self.line.on("plot", self._plot_pressed, drives=False)
        self.line.on("tab", self._tab_opened, drives=False)
        self.line.on_open.append(self._line_open)
        self.line.on_leave.append(lambda client: self._key_up(client, None))
        self.driver_lock.on_join.append(self._welcome)
        self._next: tuple[Callable[[], Simulation], str] | None = None
        self._thread = threading.Thread(target=self._run, name="treadle simulation", daemon=True)
        self._closing = False
        self._shown = 0.0
        super().__init__()

    @property
    def sim(self) -> Simulation:
        """The simulation that is on the page."""
        return self.stage.sim

    @property
    def pace(self) -> Pace:
        """Its loop, through which alone it may be touched while it runs."""
        return self.stage.pace

    @property
    def url(self) -> str:
        """The address of the page."""
        return self.server.url

    def send(self, command: Callable[[Simulation], Any]) -> Future[Any]:
        """Have `command(sim)` called between two steps; the future has its result or error."""
        return self.pace.send(command)

    def slider(
        self,
        label: str,
        low: float,
        high: float,
        value: float,
        act: Callable[[Simulation, float], Any] | None = None,
    ) -> viser.GuiSliderHandle[float]:
        """Add a slider to the page; `act(sim, value)` is called between two steps when it is moved."""
        return self.stage.own.slider(label, low, high, value, act)

    def button(self, label: str, act: Callable[[Simulation], Any]) -> viser.GuiButtonHandle:
        """Add a button to the page; `act(sim)` is called between two steps when it is pressed."""
        return self.stage.own.button(label, act)

    def plot(self, what: str, function: Callable[[Simulation], float] | None = None) -> None:
        """Plot a signal by name, a formula, or under any name a function of the simulation."""
        plots = self.stage.plots
        if function is not None:
            plots.plot_function(what, function)
        else:
            plots.plot(what, formula=what not in plots.signals.names())

    def draw_paths(self, name: str, paths: ArrayLike, costs: ArrayLike | None = None) -> None:
        """Draw ways (n, points, 3) in the world, coloured by their costs; none: remove those of that name."""
        self.stage.paths.draw(name, paths, costs)

    def demonstrate(self) -> None:
        """Let the machine move by itself until someone drives."""
        self.stage.routine.demonstrate()

    def show(self) -> None:
        """Of a simulation that the script steps: bring the page up to date, and do what people want done.

        Shown are at most 60 frames per second. While the page is paused this waits.
        """
        stage, now = self.stage, time.monotonic()
        if self._thread.is_alive():
            raise InputError("the page runs this simulation itself; show() is for td.view(sim, run=False)")
        if now - self._shown < 1.0 / RATE:
            return
        self._shown = now
        stage.pace.take_commands()
        stage.frame(stage.sim)
        while stage.pace.paused and not stage.closed:
            time.sleep(1.0 / RATE)
            if stage.pace.take_commands():
                stage.frame(stage.sim)

    def start(self) -> None:
        """Let the simulation run."""
        freeze_objects()
        self._thread.start()

    def switch(self, make: Callable[[], Simulation], note: str = "") -> None:
        """Put another simulation on the page, made by the loop; the present one stays if that fails.

        The note, if there is one, is what people are told about it.
        """
        self._next = make, note
        self.stage.close()

    def leave(self, patience: float) -> bool:
        """Close, and wait no longer (s) for a compiler; False where one goes on in its thread."""
        self._closing = True
        end = time.monotonic() + patience
        self.stage.precompiler.end()
        while (self._thread.is_alive() or self.stage.precompiler.working) and time.monotonic() < end:
            self.stage.close()
            time.sleep(0.02)
        if self._thread.is_alive() or self.stage.precompiler.working:
            self.stage.history.close()
            self.server.stop()
            return False
        self.close()
        return True

    def _close(self) -> None:
        """Stop the simulation and free the port."""
        self._closing = True
        self.stage.close()
        while self._thread.is_alive():
            self._thread.join(0.1)
            # another stage may have been put in its place meanwhile
            self.stage.close()
        self.stage.history.close()
        self.server.stop()
        self.stage.precompiler.close()
        self._freezer.close()
        unfreeze_objects()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="600"></iframe>'

    def _set_stage(self, sim: Simulation, before: Stage | None = None) -> None:
        """Put a simulation on the page; one that was there before goes on as it did."""
        stage = Stage(self.server, self.driver_lock, self.line, sim, before and before.changes)
        stage.switch = self.switch
        if before is not None:
            stage.pace.paused, stage.pace.speed = before.pace.paused, before.pace.speed
        self.stage = stage

    def _run(self) -> None:
        while not self._closing:
            self.stage.loop()
            if not self._closing:
                self._change()

    def _change(self) -> None:
        wanted, self._next = self._next, None
        if wanted is None:
            return
        make, note = wanted
        try:
            sim = make()
        except Exception as error:
            self.stage.closed = False
            self.stage.complain(error)
            return
        if self._closing:
            return
        same = sim is self.sim
        self.stage.clear()
        old = weakref.ref(self.stage)
        self._set_stage(sim, self.stage if same else None)
        # it may hold the old one
        del wanted, make
        self._freezer.replaced(old)
        if same:
            self.stage.say(note or "the machine was changed, and its controls were made anew")
        elif note:
            self.stage.complain(note)
        self.stage.introduce()
        if same:
            self.stage.script("window.treadle?.tab('Edit')")
        else:
            self.stage.aim()

    def _welcome(self, client: viser.ClientHandle) -> None:
        self.stage.introduce([client.client_id])
        self.stage.aim(clients=[client.client_id], opened=True)

    def _key_down(self, client: int, key: Any) -> None:
        if not isinstance(key, str):
            raise ValueError(key)
        run = self.stage.run
        actions: dict[str, Callable[[], None]] = {
            " ": run.toggle,
            "n": run.step,
            "backspace": run.reset,
            "p": self.stage.routine.toggle,
            "m": partial(run.mark, "bookmark", "bookmark"),
            "v": partial(self.stage.view.ride, [client]),
        }
        if not self.stage.drive.key_down(client, key) and key in actions:
            actions[key]()

    def _key_up(self, client: int, key: Any) -> None:
        if not (key is None or isinstance(key, str)):
            raise ValueError(key)
        self.stage.drive.key_up(client, key)

    def _plot_pressed(self, client: int, what: Any) -> None:
        self.stage.plots.pressed(client, what)

    def _tab_opened(self, client: int, name: Any) -> None:
        self.stage.quality.watched(client, name == "Quality")
        # a loop that is paused takes no frames by itself
        self.stage.commands.do(lambda sim: None)

    def _line_open(self, client: int) -> None:
        self.stage.plots.opened(client)
        self.stage.run.opened(client)
        self.stage.view.opened(client)

    def _look_back(self, client: int, seconds: Any) -> None:
        """Someone clicked on the timeline."""
        if not isinstance(seconds, (int, float)) or not math.isfinite(seconds):
            raise ValueError(seconds)
        self.stage.run.look(max(float(seconds), self.stage.history.first))

    def _pad(self, client: int, values: Any) -> None:
        """The sticks and buttons of a gamepad; none when it was taken away."""
        sound = isinstance(values, list) and len(values) <= 20
        if not sound or not all(isinstance(x, (int, float)) and -1.0 <= x <= 1.0 for x in values):
            raise ValueError(values)
        run = self.stage.run
        for name in self.stage.drive.pad(client, values):
            {"start": run.toggle, "back": run.reset}[name]()

    def _open_scene(self, client: int, name: Any) -> None:
        """Put the scene of a link on the page that was opened by it."""
        if not isinstance(name, str):
            raise ValueError(name)
        if name == self.stage.link:
            return
        if self.driver_lock.may_drive(client):
            self.stage.scenes.open(name)
            return
        page = self.server.get_clients().get(client)
        if page is not None:
            page.add_notification(
                "Someone else drives", f"Take over to open {name[:80]!r}.", auto_close_seconds=8.0
            )
        # the address says what is shown
        self.stage.introduce([client])
