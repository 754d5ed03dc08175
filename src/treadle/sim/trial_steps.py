"""Steps of any length from the present state, and back: for events and samples inside a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.sim.arrays import CARRIED

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Start", "TrialSteps"]


class Start(NamedTuple):
    """What a step starts from, as copies."""

    arrays: dict[str, np.ndarray]
    memory: np.ndarray


class TrialSteps:
    """Takes single steps of a simulation, by its integrator or with contact, outside its clock."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def take(self, time: float, span: float) -> None:
        """A step of any length."""
        sim, arrays = self._sim, self._sim.arrays
        step, arrays["dt"][0, 0] = sim.dt, span
        # crossings of events are not looked for
        watched = sim.watcher.active
        try:
            for _ in range(2):
                arrays["clock"][:, 0], arrays["alive"][:, 0] = (time, 0.0), (1.0, 0.0)
                sim.stepper.timed(sim.stepper.runner(guarded=not watched), 1)
                # a limit that is met for the first time takes other code
                if watched or arrays["alive"][1, 0] or not sim.stepper.hold_bounds():
                    break
        finally:
            arrays["dt"][0, 0] = step
        if not watched and not arrays["alive"][1, 0]:
            sim.stepper.halted()

    def saved(self) -> Start:
        """What the next step starts from."""
        sim = self._sim
        names = [name for name in CARRIED if name in sim.arrays and name not in ("clock", "alive")]
        memory = sim.stepper.ready_contact_step().memory if sim.contact else np.zeros(0)
        return Start({name: sim.arrays[name].copy() for name in names}, memory)

    def restore(self, start: Start) -> None:
        """Let the next step start from there."""
        for name, array in start.arrays.items():
            self._sim.arrays[name][:] = array
        if self._sim.contact:
            self._sim.stepper.ready_contact_step().memory = start.memory

    @contextmanager
    def without_trace(self) -> Iterator[None]:
        """Steps in this block leave no trace."""
        contact, stepper = self._sim.contact, self._sim.stepper
        kept, seen = self.saved(), stepper.ready_contact_step().seen() if contact else []
        try:
            yield
        finally:
            self.restore(kept)
            if contact:
                stepper.ready_contact_step().show(seen)
