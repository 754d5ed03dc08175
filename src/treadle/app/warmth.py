"""Compiling ahead: what a run needs when someone pulls at it or a joint meets a stop.

Otherwise the simulation would stand still for the seconds that it takes, the first time on a computer. The
work begins when the machine moves, so that the page is not kept waiting by it.
"""

from __future__ import annotations

import contextlib
import os
import threading

from treadle.app.closing import Closing
from treadle.sim.simulation import Simulation

__all__ = ["Warmth", "compile_step", "knows"]

#: How far behind all else this work stands.
_NICE = 15


class Warmth(Closing):
    """A thread that compiles the steps with loads and with stops, from `begin()` on."""

    def __init__(self, sim: Simulation) -> None:
        # what cannot be known ahead is compiled when it is needed
        self._known = knows(sim)
        self._make = lambda: Simulation(sim.model, sim.dt, sim.integrator, q=sim.reference.q)
        self._begun, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="treadle compiler", daemon=True)
        self._thread.start()
        super().__init__()

    def begin(self) -> None:
        """Let the work begin."""
        self._begun.set()

    def wait(self) -> None:
        """Return when all is compiled."""
        self._thread.join()

    def end(self) -> None:
        """End the work after what is being compiled now."""
        self._ending.set()
        self._begun.set()

    def _close(self) -> None:
        self.end()
        self._thread.join()

    def _work(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        self._begun.wait()
        # what is wrong with the machine is said by the run itself
        with contextlib.suppress(Exception):
            for bounded in (False, True):
                for loaded in (False, True):
                    if self._known and not self._ending.is_set():
                        compile_step(self._make(), bounded, loaded)


def knows(sim: Simulation) -> bool:
    """Whether the step of a simulation can be compiled ahead."""
    return not (sim.laws or tuple(sim.controllers) or sim.motions or tuple(sim.events))


def compile_step(twin: Simulation, bounded: bool, loaded: bool) -> None:
    """Have a simulation, which is of no other use, compile its step with stops or with loads."""
    twin._bounded = twin._bounded or (bounded and bool(twin.model.limited))
    body = next((frame.name for frame in twin.model.frames if frame.body >= 0), None)
    if loaded and body is not None:
        twin.apply_force(body, (0.0, 0.0, 1e-9))
    twin.step()
