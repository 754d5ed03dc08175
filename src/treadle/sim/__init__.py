"""The simulation of one world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.lazy import lazy_names
from treadle.sim.trajectory import trajectory

if TYPE_CHECKING:
    from treadle.sim.event import Event
    from treadle.sim.history import History
    from treadle.sim.realtime_loop import Pace
    from treadle.sim.routine import Routine
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["Event", "History", "Pace", "Routine", "Simulation", "State", "trajectory"]

__getattr__ = lazy_names(
    __name__,
    {
        "treadle.sim.event": ("Event",),
        "treadle.sim.history": ("History",),
        "treadle.sim.realtime_loop": ("Pace",),
        "treadle.sim.routine": ("Routine",),
        "treadle.sim.simulation": ("Simulation",),
        "treadle.sim.state": ("State",),
    },
)
