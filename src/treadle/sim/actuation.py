"""Actuators at the start of a simulation."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.actuator import actuator_state_size, state_places
from treadle.model.model import Model

__all__ = ["resting_drives"]

#: Share of the supply pressure on the side of a piston that has nothing to hold.
_PRELOAD = 0.05


def resting_drives(model: Model, q: Sequence[float]) -> list[float]:
    """State of the actuators in which cylinders hold the machine at rest at q, and nothing is activated.

    Of each, one side has a little pressure and the other what the load asks for, up to its relief valve.
    """
    drives = [0.0] * actuator_state_size(model)
    cylinders = [actuator for actuator in model.actuators if actuator.type == "cylinder"]
    if not cylinders:
        return drives
    from treadle.solvers.statics import holding_forces

    places = [place for x, place in zip(model.actuators, state_places(model)) if x.type == "cylinder"]
    dofs = [cylinder.v for cylinder in cylinders if cylinder.v is not None]
    for cylinder, place, force in zip(cylinders, places, holding_forces(model, q, dofs), strict=True):
        cap, rod = cylinder.areas
        low, most = _PRELOAD * cylinder.pressure, cylinder.relief or float("inf")
        p1, p2 = max(low, (force + low * rod) / cap), max(low, (low * cap - force) / rod)
        drives[place] = [min(p1, most), min(p2, most)]
    return drives
