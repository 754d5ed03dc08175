"""The motion over a time as a function of time, from the dense output of every substep."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError
from treadle.integrators import INTEGRATORS

if TYPE_CHECKING:
    from treadle.sim.interpolant import Interpolant
    from treadle.sim.simulation import Simulation

__all__ = ["Trajectory", "trajectory"]


class Trajectory:
    """Positions and velocities at any time from `start` to `end`; `times` are the ends of the substeps."""

    def __init__(self, pieces: Sequence[Interpolant]) -> None:
        self._pieces = tuple(pieces)
        self._starts = [piece.start for piece in pieces]
        self.start, self.end = pieces[0].start, pieces[-1].end
        self.times = np.array([*self._starts, self.end])

    def __call__(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq) and velocities (nv) at a time."""
        if not self.start <= time <= self.end:
            raise InputError(f"the trajectory goes from {self.start:g} to {self.end:g} s, not to {time!r}")
        piece = self._pieces[max(0, bisect_right(self._starts, time) - 1)]
        return piece.after(min(time - piece.start, piece.end - piece.start))


def trajectory(sim: Simulation, seconds: float) -> Trajectory:
    """Advance a simulation by a time, and return the motion as a function of time.

    Needs an integrator with error control. At an action that changes the state, the later one counts.
    """
    if not INTEGRATORS[sim.integrator].adaptive or not sim.model.nv:
        raise InputError(
            f"a trajectory needs an integrator with error control, 'dopri5' or 'dopri853', "
            f"and a machine that moves; not {sim.integrator!r} and {sim.model.name!r}"
        )
    if sim.contact:
        raise InputError("a trajectory is of motion without contact; give Simulation contact=False")
    pieces: list[Interpolant] = []
    sim.watcher.collected = pieces
    try:
        sim.run(seconds)
    finally:
        sim.watcher.collected = None
    if not pieces:
        raise InputError(f"a trajectory needs at least one step of {sim.dt:g} s, not {seconds!r} s")
    return Trajectory(pieces)
