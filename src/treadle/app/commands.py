"""What people at the page want done with the simulation: a queue with an end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from treadle.sim.realtime_loop import Pace
from treadle.sim.simulation import Simulation

__all__ = ["PENDING", "Commands"]

#: Commands that may wait; the loop takes all of them before each step, so this many mean a flood.
PENDING = 256


class Commands:
    """Hands functions of the simulation to its loop; errors go to `complain`, which anyone can see."""

    def __init__(self, pace: Pace, complain: Callable[[BaseException | str], None]) -> None:
        self.pace, self._complain = pace, complain
        self._pending, self._lock = 0, threading.Lock()
        #: commands that found the queue full
        self.dropped = 0

    def send(self, command: Callable[[Simulation], Any]) -> Future[Any] | None:
        """Have `command(sim)` called between two steps; None where too many wait already."""
        with self._lock:
            if self._pending >= PENDING:
                self.dropped += 1
                return None
            self._pending += 1
        future = self.pace.send(command)
        future.add_done_callback(self._done)
        return future

    def do(self, command: Callable[[Simulation], Any]) -> None:
        """The same, for those who do not wait for it."""
        self.send(command)

    def _done(self, future: Future[Any]) -> None:
        with self._lock:
            self._pending -= 1
        error = None if future.cancelled() else future.exception()
        if error is not None:
            self._complain(error)
