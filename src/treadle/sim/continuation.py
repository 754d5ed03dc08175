"""Steps of a simulation in whose run nobody acts or looks, in one call from Python."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from treadle.native.executable import Runner
from treadle.native.frames import table
from treadle.sim.step.continued import CONTINUE, Continued, attend

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.step.contact_step import ContactStep

__all__ = ["continuation"]


def continuation(sim: Simulation, running: Runner | ContactStep) -> Callable[[int], int]:
    """A function that takes steps with what runs now, and returns how many of so many it did not take.

    It takes none where more is to be done: where the state was set, or another step has to be chosen.
    """
    log, world, watcher, stepper, counters = sim.run_log, sim.world, sim.watcher, sim.stepper, vars(sim)
    arrays, bound, pieces, take = sim.arrays, log.bind(), stepper.pieces, attend.pointer
    clock, alive = arrays["clock"][:, 0], arrays["alive"][:, 0]
    wanted = np.array([world.start, world.steps, 1.0])
    task = np.array([CONTINUE, 0])
    continued = Continued(task=task, run=bound, wanted=wanted, clock=clock, alive=alive, port=_port(running))
    entries = table(continued)
    address = entries.ctypes.data
    # what `wanted` has: numbers that did not change are not written again
    start, steps, asked, h = world.start, world.steps, 1, sim.dt

    def take_steps(count: int) -> int:
        nonlocal start, steps, asked, h
        ready = log.bound is bound and stepper.running is running and watcher.collected is None
        if not ready or type(count) is not int or not 0 < count <= pieces.most:
            h = 0.0
            return count
        if h == 0.0 or world.steps != steps or world.start != start or count != asked:
            start, steps, asked, h = world.start, world.steps, count, sim.dt
            wanted[:] = start, steps, count
        before, taken, started = counters["measured_time"], None, perf_counter()
        try:
            taken = take(address)
            if taken < 0:
                # the next one is after all of these, or they are taken in pieces
                taken = take(address) if log.until_sample(0) >= count else 0
        finally:
            if taken is None:
                # Ctrl-C: machine code has ended by then, and the state is that of its last step
                taken = int(alive[1])
            world.steps = steps = steps + taken
            counters["measured_time"] = before + taken * h
        seconds = perf_counter() - started
        counters["wall_time"] += seconds
        if taken == 0:
            h = 0.0
        elif taken > 1:
            pieces.took(taken, seconds)
        return count - taken

    # addresses do not keep arrays alive
    take_steps.kept = continued, entries  # type: ignore[attr-defined]
    return take_steps


def _port(running: Runner | ContactStep) -> np.ndarray:
    """See `Continued.port`."""
    if isinstance(running, Runner):
        entry, arrays, frame = running.addresses
        return np.array([0, entry, arrays, 1, frame])
    return running.port
