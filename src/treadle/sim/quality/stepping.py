"""What takes the steps of a run: its integrator, or beside contact Moreau's rule whatever the integrator."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from treadle.integrators import INTEGRATORS

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Stepping", "stepping"]


class Stepping(NamedTuple):
    """Order of the steps, whether they are subdivided under error control, and whether rounds are counted."""

    order: int
    adaptive: bool
    iterates: bool


def stepping(sim: Simulation) -> Stepping:
    """That of a simulation as it is now."""
    if sim.contact:
        return Stepping(1, False, False)
    method = INTEGRATORS[sim.integrator]
    return Stepping(method.order, method.adaptive, method.iterates)
