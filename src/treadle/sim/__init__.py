"""The simulation of one world."""

from treadle.sim.event import Event
from treadle.sim.simulation import Simulation
from treadle.sim.state import State

__all__ = ["Event", "Simulation", "State"]
