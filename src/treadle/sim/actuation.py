"""Actuators at the start of a simulation."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.model.model import Model

__all__ = ["resting_drives"]

#: Share of the supply pressure on the side of a piston that has nothing to hold.
_PRELOAD = 0.05


def resting_drives(model: Model, q: Sequence[float]) -> list[float]:
    """State of the actuators in which cylinders hold the machine at rest at q.

    Of each, one side has a little pressure and the other what the load asks for, up to its relief valve.
    """
    cylinders = [actuator for actuator in model.actuators if actuator.type == "cylinder"]
    if not cylinders:
        return []
    from treadle.solvers.statics import holding_forces

    drives: list[float] = []
    for cylinder, force in zip(cylinders, holding_forces(model, q, [c.v for c in cylinders]), strict=True):
        cap, rod = cylinder.areas
        low, most = _PRELOAD * cylinder.pressure, cylinder.relief or float("inf")
        p1, p2 = max(low, (force + low * rod) / cap), max(low, (low * cap - force) / rod)
        drives += [min(p1, most), min(p2, most)]
    return drives
