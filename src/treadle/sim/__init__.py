"""The simulation of one world."""

from treadle.sim.event import Event
from treadle.sim.history import History
from treadle.sim.pace import Pace
from treadle.sim.routine import Routine
from treadle.sim.simulation import Simulation
from treadle.sim.state import State
from treadle.sim.trajectory import trajectory

__all__ = ["Event", "History", "Pace", "Routine", "Simulation", "State", "trajectory"]
