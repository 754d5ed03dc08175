"""The complete roadheader with every actuator driven through its range, and how well its loops hold."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from treadle.scenes import scene
from treadle.sim import Simulation

__all__ = ["sweep_row"]

#: Step (s), and how long the actuators take from the middle to an end (s).
_DT, _SWEEP = 2e-3, 20.0
#: Cylinders that turn the same joint as another one, but the other way.
_OPPOSED = ("slew_right",)


def sweep_row() -> dict[str, Any]:
    """All actuators at full command one way, the other way and back; every frame is timed."""
    sim = Simulation(scene("roadheader"), _DT)
    bounded = [joint for joint in sim.model.joints if joint.name in _working(sim)]
    places = np.array([joint.q.start for joint in bounded])
    low, high = sim.q[places].copy(), sim.q[places].copy()
    frame, times = round(1.0 / 60.0 / _DT), []
    for direction, seconds in ((1, _SWEEP), (-1, 2 * _SWEEP), (1, _SWEEP)):
        for actuator in sim.model.actuators:
            handle = sim.actuator(actuator.name)
            forward = direction > 0 and actuator.name not in _OPPOSED
            backward = direction < 0 and actuator.name in _OPPOSED
            handle.command = handle.range[1 if forward or backward else 0]
        for _ in range(round(seconds / _DT / frame)):
            begin = time.perf_counter()
            sim.step(frame)
            times.append(time.perf_counter() - begin)
            low, high = np.minimum(low, sim.q[places]), np.maximum(high, sim.q[places])
    wide = np.array([joint.upper[0] - joint.lower[0] for joint in bounded])
    step = float(np.median(times)) / frame
    return {
        "machine": "roadheader", "engine": "Treadle", "dt": _DT * 1e3,
        "gap": sim.quality()["loop residual"], "step_time": step * 1e6,
        "frame_time": step / _DT / 60.0 * 1e3, "range": float(((high - low) / wide).min()),
    }  # fmt: skip


def _working(sim: Simulation) -> set[str]:
    """Joints with two stops that are not a cylinder's own: the cylinders are longer than what they move."""
    moved = {actuator.joint for actuator in sim.model.actuators}
    return {
        joint.name
        for joint in sim.model.joints
        if joint.type.nv == 1 and joint.name not in moved and np.isfinite([*joint.lower, *joint.upper]).all()
    }
