"""Time that was simulated, and how fast."""

from __future__ import annotations

from treadle.sim.quality.measure import Measure
from treadle.sim.quality.run import Run

__all__ = ["real_time_factor", "time"]


def time(run: Run) -> Measure:
    """Simulated time."""
    since = run.start.time
    judged = "" if since == 0.0 or run.steps == 0 else f", judged from {since:.6g} s on"
    return Measure("time", run.now.time, "s", f"simulated, in steps of {run.sim.dt:g} s{judged}")


def real_time_factor(run: Run) -> Measure:
    """Simulated seconds per second of computing."""
    sim = run.sim
    value = sim.measured_time / sim.wall_time if sim.wall_time > 0.0 else 0.0
    return Measure("real-time factor", value, "", "simulated seconds per second of computing")
