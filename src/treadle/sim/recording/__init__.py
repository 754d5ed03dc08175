"""Recordings of a simulation: signals by name, in MCAP files (for Foxglove) and Parquet files (for pandas).

with sim.record("run.mcap", signals=["joint.*.position", "energy.*"], rate=100):
    sim.run(seconds=5)
table = td.read_recording("run.mcap")
"""

from treadle.sim.recording.reader import read_recording
from treadle.sim.recording.recorder import Recorder
from treadle.sim.recording.recording import Recording
from treadle.sim.recording.signals import DEFAULT_SIGNALS, SIGNAL_KINDS, Signal
from treadle.sim.recording.signals.select import Wanted

__all__ = ["DEFAULT_SIGNALS", "SIGNAL_KINDS", "Recorder", "Recording", "Signal", "Wanted", "read_recording"]
