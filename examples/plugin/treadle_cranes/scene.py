"""A crane: a trolley on a beam, with a load on a rope that is a pendulum."""

from __future__ import annotations

import treadle as td

__all__ = ["crane"]


def crane(load: float = 500.0, rope: float = 6.0) -> td.ModelSpec:
    """A trolley of 200 kg that a servo moves, with a load (kg) on a rope (m)."""
    spec = td.ModelSpec("crane")
    spec.add_body("trolley", 200.0, inertia=(20.0, 20.0, 20.0))
    spec.add_body("load", load, center=(0.0, 0.0, -rope), inertia=(10.0, 10.0, 10.0))
    spec.add_joint("travel", "prismatic", None, "trolley", axis=(1, 0, 0), position=(0, 0, 10))
    spec.add_joint("swing", "revolute", "trolley", "load", axis=(0, 1, 0))
    spec.add_actuator("drive", "velocity", "travel", damping=5e3)
    spec.add_sensor("speed", "speedometer", "load", position=(0.0, 0.0, -rope), rate=100.0)
    return spec
