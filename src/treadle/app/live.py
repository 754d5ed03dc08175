"""A simulation that runs in real time behind the page.

with Live(open_server(), td.Simulation(model)) as live:
    live.start()
    input("Enter ends it")
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import viser

from treadle.app.changes import Changes
from treadle.app.closing import Closing
from treadle.app.crew import Crew
from treadle.app.heap import release_heap, settle_heap
from treadle.app.keys import Keys
from treadle.app.panels.demo import DemoPanel
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
        self.crew = Crew(server)
        self.keys = Keys(server, self.crew)
        self._set_stage(sim)
        self.keys.on_down, self.keys.on_up = self._key_down, self._key_up
        self.crew.on_join.append(self._welcome)
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

    def demonstrate(self) -> None:
        """Let the machine move by itself until someone drives."""
        self.stage.panels.append(DemoPanel(self.stage))

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
        settle_heap()
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
        self.stage.warmth.end()
        while (self._thread.is_alive() or self.stage.warmth.working) and time.monotonic() < end:
            self.stage.close()
            time.sleep(0.02)
        if self._thread.is_alive() or self.stage.warmth.working:
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
        self.stage.warmth.close()
        release_heap()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="600"></iframe>'

    def _set_stage(self, sim: Simulation, changes: Changes | None = None) -> None:
        self.stage = Stage(self.server, self.crew, sim, changes)
        self.stage.switch = self.switch

    def _run(self) -> None:
        while not self._closing:
            self.stage.loop()
            if not self._closing:
                self._change()

    def _change(self) -> None:
        wanted, self._next = self._next, None
        if wanted is None:
            return
        try:
            sim = wanted[0]()
        except Exception as error:
            self.stage.closed = False
            self.stage.complain(error)
            return
        if self._closing:
            return
        paused, speed = self.pace.paused, self.pace.speed
        same = sim is self.sim
        self.stage.clear()
        self._set_stage(sim, self.stage.changes if same else None)
        settle_heap()
        if same:
            self.stage.say("changed: the machine has other freedoms now, and its controls were made anew")
            self.pace.paused, self.pace.speed = paused, speed
        if wanted[1]:
            self.stage.complain(wanted[1])
        self.stage.introduce()
        if not same:
            self.stage.aim()

    def _welcome(self, client: viser.ClientHandle) -> None:
        self.stage.introduce([client.client_id])
        self.stage.aim(clients=[client.client_id], opened=True)

    def _key_down(self, client: int, key: str) -> None:
        run = self.stage.run
        actions: dict[str, Callable[[], None]] = {" ": run.toggle, "n": run.step, "backspace": run.reset}
        if not self.stage.drive.key_down(client, key) and key in actions:
            actions[key]()

    def _key_up(self, client: int, key: str | None) -> None:
        self.stage.drive.key_up(client, key)
