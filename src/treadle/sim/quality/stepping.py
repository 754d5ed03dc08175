"""What takes the steps of a run: its integrator and, while contacts last, the midpoint rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Stepping", "stepping"]

#: Order of the midpoint rule.
CONTACT_ORDER = 2


class Stepping(NamedTuple):
    """Order of the steps, whether they are subdivided under error control, and whether rounds are counted."""

    order: int
    adaptive: bool
    iterates: bool


def stepping(sim: Simulation) -> Stepping:
    """That of a simulation as it is now."""
    method = sim.step_options.method
    if sim.contact:
        return Stepping(CONTACT_ORDER, False, False)
    return Stepping(method.order, method.adaptive, method.iterates)
