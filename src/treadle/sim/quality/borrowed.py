"""Steps that a simulation takes on trial: afterwards it is as it was, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import SimulationDiverged

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["Borrowed", "borrowed"]


class Borrowed:
    """A simulation on trial. Controllers that are called back hold what they commanded last."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    @property
    def q(self) -> np.ndarray:
        return self._sim.q

    @property
    def v(self) -> np.ndarray:
        return self._sim.v

    def go_to(self, state: State, dt: float | None = None, tolerance: float | None = None) -> None:
        """Continue from a state, with another step or tolerance."""
        self._sim.restore(state)
        if dt is not None:
            self._sim.dt = dt
        if tolerance is not None:
            place = list(self._sim.options).index("tolerance")
            self._sim.arrays["options"][place, 0] = tolerance

    def try_steps(self, count: int) -> bool:
        """Take steps; False where they diverge."""
        try:
            self._sim.step(count)
        except SimulationDiverged:
            return False
        return True

    def try_half_step(self) -> bool:
        """Take one step of half the size; False where it diverges."""
        self._sim.dt *= 0.5
        return self.try_steps(1)


@contextmanager
def borrowed(sim: Simulation) -> Iterator[Borrowed]:
    """The simulation, to take steps with that leave no trace."""
    journal, controllers = sim.run_log, sim.controllers
    sim.refresh(controllers.refresh(sim.arrays.values()))
    live = sim.arrays
    arrays = {name: array.copy() for name, array in live.items() if not name.startswith("next_")}
    own = ("fresh", "reference", "wall_time", "measured_time")
    kept = {name: getattr(sim, name) for name in (*own, "observers")}
    clock = sim.world.start, sim.world.steps
    stepper = sim.stepper.bounded, sim.stepper.running
    account = journal.save()
    worked = sim.processes.save()
    touched = sim.contact_step
    seen, memory = ([], np.zeros(0)) if touched is None else (touched.seen(), touched.memory)
    try:
        # recorders and events must not see these steps, and a controller must not be asked twice
        sim.observers = []
        sim.fresh = False
        if controllers.called_back:
            sim.tau[:] += controllers.commanded
        sim.tau[:] += sim.processes.commanded
        with sim.events.quiet(), controllers.silent(), sim.processes.silent():
            yield Borrowed(sim)
    finally:
        for name, array in arrays.items():
            live[name][:] = array
        for name, value in kept.items():
            setattr(sim, name, value)
        sim.world.start, sim.world.steps = clock
        sim.stepper.bounded, sim.stepper.running = stepper
        journal.restore(account)
        sim.processes.restore(worked)
        if touched is not None:
            touched.memory = memory
            touched.show(seen)
