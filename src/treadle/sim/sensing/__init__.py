"""Sensors of machines in motion: measurements are compiled, samples follow the clock of every world."""

from treadle.sim.sensing.handle import SensorHandle
from treadle.sim.sensing.sampling import Port, Sampling
from treadle.sim.sensing.single import SimulationPort

__all__ = ["Port", "Sampling", "SensorHandle", "SimulationPort"]
