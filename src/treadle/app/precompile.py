"""Compiling ahead: what a run needs when someone pulls at it, a joint meets a stop, or a part gets a spring.

Otherwise the simulation, or whoever changes the machine, would wait for the seconds that it takes, the first
time on a computer. The work begins when the machine moves, so that the page is not kept waiting by it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from treadle.app.closing import Closing
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

__all__ = ["Precompiler", "compile_step", "knows", "twin"]

#: How far behind all else this work stands. No further: where other programs take the processor, the
#: simulation would wait for Python's lock, which this thread has most of the time.
_NICE = 5

#: Something to be compiled.
Work = Callable[[], object]


class Precompiler(Closing):
    """A thread that compiles the steps with loads and with stops, from `begin()` on, and what is expected."""

    def __init__(self, sim: Simulation) -> None:
        self._changed = threading.Condition()
        self._begun = self._ending = self._working = False
        # what cannot be known ahead is compiled when it is needed
        self._first: list[Work] = []
        self._expected: list[Work] = []
        if knows(sim):
            self._first = [partial(_compile, sim, bounded, loaded) for bounded, loaded in _KINDS]
        self._thread = threading.Thread(target=self._work, name="treadle compiler", daemon=True)
        self._thread.start()
        super().__init__()

    def begin(self) -> None:
        """Let the work begin."""
        if not self._begun:
            self._set(begun=True)

    def expect(self, work: Sequence[Work]) -> None:
        """Compile this too, instead of what was expected before."""
        self._set(expected=list(work))

    def wait(self) -> None:
        """Return when all is compiled."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._ending or not (self._first or self._expected or self._working)
            )

    @property
    def working(self) -> bool:
        """Whether something is being compiled."""
        return self._working

    def end(self) -> None:
        """End the work after what is being compiled now."""
        self._set(ending=True)

    def _close(self) -> None:
        self.end()
        self._thread.join()

    def _set(self, **values: object) -> None:
        with self._changed:
            for name, value in values.items():
                setattr(self, f"_{name}", value)
            self._changed.notify_all()

    def _work(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        while (work := self._next()) is not None:
            # what is wrong with the machine is said by the run itself
            with contextlib.suppress(Exception):
                work()
            self._set(working=False)

    def _next(self) -> Work | None:
        """What to compile next, as soon as there is something; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._ending or (self._begun and (self._first or self._expected)))
            if self._ending:
                return None
            self._working = True
            return (self._first or self._expected).pop(0)


#: With stops or without, with loads or without.
_KINDS = [(bounded, loaded) for bounded in (False, True) for loaded in (False, True)]


def _compile(sim: Simulation, bounded: bool, loaded: bool) -> None:
    compile_step(twin(sim, sim.model, q=sim.reference.q), bounded, loaded)


def knows(sim: Simulation) -> bool:
    """Whether the step of a simulation can be compiled ahead."""
    return not (sim.laws or tuple(sim.controllers) or sim.motions or tuple(sim.events))


def twin(sim: Simulation, model: Model, q: np.ndarray | None = None) -> Simulation:
    """Another simulation with the same options, of this machine."""
    return Simulation.with_options(model, sim.step_options.moved(sim.model, model), sim.dt, q)


def compile_step(spare: Simulation, bounded: bool, loaded: bool) -> None:
    """Have a simulation, which is of no other use, compile its step with stops or with loads."""
    spare.stepper.bounded = spare.stepper.bounded or (bounded and bool(spare.model.limited))
    body = next((frame.name for frame in spare.model.frames if frame.body >= 0), None)
    if loaded and body is not None:
        spare.apply_force(body, (0.0, 0.0, 1e-9))
    spare.step()
