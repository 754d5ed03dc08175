"""A simulation that runs in real time behind the page.

with Live(open_server(), td.Simulation(model)) as live:
    live.start()
    input("Enter ends it")
"""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Self

import viser

from treadle.app.controls import controls
from treadle.app.panel import Panel
from treadle.app.scene import Scene
from treadle.app.scenery import add_scenery_folder
from treadle.sim.history import History
from treadle.sim.pace import Pace
from treadle.sim.simulation import Simulation

__all__ = ["Live"]

#: Frames per second to the page.
_RATE = 60.0

#: Seconds between updates of the numbers on the panel, and of the quality.
_NUMBERS, _QUALITY = 0.2, 1.0

#: Seconds that can be rewound.
_KEPT = 30.0


class Live:
    """A server that shows and drives a simulation, which runs in a thread of its own until `close()`."""

    def __init__(self, server: viser.ViserServer, sim: Simulation) -> None:
        self.server, self.sim = server, sim
        self.pace = Pace(sim, frame=1.0 / _RATE)
        self.scene = Scene(server, sim.model)
        self._history = History(sim, _KEPT)
        self.panel = Panel(server, self.pace, self._history, controls(sim.model))
        #: checkboxes that show and hide the surroundings, by name
        self.surroundings = add_scenery_folder(server.gui, self.scene)
        self._thread = threading.Thread(target=self._run, name="treadle simulation", daemon=True)
        self._closing = False
        # when the numbers and the quality were last shown
        self._numbers = self._quality = -1.0
        self._failed = False
        if self.scene.faults:
            self.panel.complain(RuntimeError("not shown: " + "; ".join(self.scene.faults)))

    def start(self) -> None:
        """Let the simulation run."""
        self._thread.start()

    def close(self) -> None:
        """Stop the simulation and free the port."""
        self._closing = True
        self.pace.stop()
        if self._thread.is_alive():
            self._thread.join()
        self._history.close()
        self.server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        """Frames until the end; an error pauses, and the user may change something and go on."""
        while not self._closing:
            try:
                self.pace.run(on_frame=self._show)
            except Exception as error:
                self.pace.pause()
                self.panel.complain(error)
                self._show(self.sim)

    def _show(self, sim: Simulation) -> None:
        """Send a frame; what goes wrong with the page is no business of the simulation."""
        try:
            self.scene.show(sim.q)
            now = time.monotonic()
            if self.pace.paused or now - self._numbers >= _NUMBERS:
                self.panel.update(sim)
                self._numbers = now
            if now - self._quality >= _QUALITY:
                self.panel.judge(sim)
                self._quality = now
        except Exception:
            if not self._failed:
                self._failed = True
                logging.getLogger(__name__).exception("a frame could not be shown; the simulation goes on")
