"""The last step of a simulation with contact, pair of shapes by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.step.contact_step import ContactStep

__all__ = ["LastStep", "carriers", "last_step", "step_of"]


class LastStep(NamedTuple):
    """What pairs of shapes did, in the mean over the step; nothing where there was none."""

    step: ContactStep | None
    #: of all collision shapes
    names: list[str]
    #: (n, 2) places in `names`
    pairs: np.ndarray
    #: (n, 7) force on the second (N), its moment about the world's origin (N m), work of both (J)
    sums: np.ndarray


def last_step(sim: Simulation) -> LastStep:
    """The step that led to the present state; none where that was set or contact is off."""
    contact_step = sim.contact_step
    if contact_step is None or not sim.run_log.goes_on():
        return LastStep(None, [], np.zeros((0, 2), int), np.zeros((0, 7)))
    return step_of(contact_step)


def step_of(contact_step: ContactStep) -> LastStep:
    """The step that a contact step took last."""
    totals = contact_step.scratch.totals
    pairs, sums = (array[: totals.size[0]].copy() for array in (totals.pair, totals.sums))
    sums[:, :6] /= contact_step.span[0]
    return LastStep(contact_step, contact_step.collider.names, pairs, sums)


def carriers(sim: Simulation) -> dict[str, str | None]:
    """The links that carry the collision shapes, None for the world, by the names of the shapes."""
    links = {shape.name: shape.link for shape in sim.model.shapes if shape.role == "collision"}
    return links | ({"terrain": None} if sim.contact and sim.terrain is not None else {})
