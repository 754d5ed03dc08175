"""A simulation that runs in real time behind the page.

with Live(open_server(), td.Simulation(model)) as live:
    live.start()
    input("Enter ends it")
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

import viser

from treadle.app.crew import Crew
from treadle.app.keys import Keys
from treadle.app.server import Server
from treadle.app.stage import Stage
from treadle.sim.pace import Pace
from treadle.sim.simulation import Simulation

__all__ = ["Live"]


class Live:
    """A server that shows and drives a simulation, which runs in a thread of its own until `close()`."""

    def __init__(self, server: Server, sim: Simulation) -> None:
        self.server = server
        self.crew = Crew(server)
        self.keys = Keys(server, self.crew)
        self._set_stage(sim)
        self.keys.on_down, self.keys.on_up = self._key_down, self._key_up
        self.crew.on_join.append(self._welcome)
        self._next: Callable[[], Simulation] | None = None
        self._thread = threading.Thread(target=self._run, name="treadle simulation", daemon=True)
        self._closing = False

    @property
    def sim(self) -> Simulation:
        """The simulation that is on the page."""
        return self.stage.sim

    @property
    def pace(self) -> Pace:
        """Its loop, through which alone it may be touched while it runs."""
        return self.stage.pace

    def start(self) -> None:
        """Let the simulation run."""
        self._thread.start()

    def switch(self, make: Callable[[], Simulation]) -> None:
        """Put another simulation on the page, made by the loop; the present one stays if that fails."""
        self._next = make
        self.stage.close()

    def close(self) -> None:
        """Stop the simulation and free the port."""
        self._closing = True
        self.stage.close()
        if self._thread.is_alive():
            self._thread.join()
        self.stage.history.close()
        self.server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _set_stage(self, sim: Simulation) -> None:
        self.stage = Stage(self.server, self.crew, sim)
        self.stage.switch = self.switch

    def _run(self) -> None:
        while True:
            self.stage.loop()
            if self._closing:
                return
            self._change()

    def _change(self) -> None:
        make, self._next = self._next, None
        if make is None:
            return
        try:
            sim = make()
        except Exception as error:
            self.stage.closed = False
            self.stage.complain(error)
            return
        paused, speed = self.pace.paused, self.pace.speed
        same = sim is self.sim
        self.stage.clear()
        self._set_stage(sim)
        if same:
            self.pace.paused, self.pace.speed = paused, speed
        self.stage.show_hints()

    def _welcome(self, client: viser.ClientHandle) -> None:
        self.stage.show_hints([client.client_id])

    def _key_down(self, client: int, key: str) -> None:
        run = self.stage.run
        actions: dict[str, Callable[[], None]] = {" ": run.toggle, "n": run.step, "backspace": run.reset}
        if not self.stage.drive.key_down(client, key) and key in actions:
            actions[key]()

    def _key_up(self, client: int, key: str | None) -> None:
        self.stage.drive.key_up(client, key)
