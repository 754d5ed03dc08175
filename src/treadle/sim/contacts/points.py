"""Contact points of a simulation as they are after its last step, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from treadle.sim.step.contact_step import ContactStep

__all__ = ["ContactPoint", "contact_points"]


@dataclass(frozen=True)
class ContactPoint:
    """A point where two shapes touch: where (m), with what force (N) on the second, and how deep (m).

    `bodies` are links, None for the world. The normal points from the first to the second; force and torque
    (N m, against rolling and spinning) are means over the last part of the step in which nothing began or
    ended. `friction` is the coefficient of sliding friction, the larger one where it differs by direction.
    """

    shapes: tuple[str, str]
    bodies: tuple[str | None, str | None]
    position: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    penetration: float
    friction: float


def contact_points(contact_step: ContactStep) -> list[ContactPoint]:
    """The points that carry a force or are about to."""
    collider, scratch = contact_step.collider, contact_step.scratch
    owner = {shape.name: shape.link for shape in contact_step.model.shapes}
    found = []
    for point in scratch.points[: max(int(collider.result[0]), 0)]:
        if point["row"] < 0:
            continue
        names = collider.names[point["a"]], collider.names[point["b"]]
        force, torque = contact_step.forces(point)
        found.append(
            ContactPoint(
                names,
                (owner.get(names[0]), owner.get(names[1])),
                np.array([point["x"], point["y"], point["z"]]),
                np.array([point["nx"], point["ny"], point["nz"]]),
                force,
                torque,
                max(-float(point["end"]), 0.0),
                _friction(contact_step, point),
            )
        )
    return found


def _friction(contact_step: ContactStep, point: np.void) -> float:
    surface = contact_step.surfaces[point["surface"]]
    return float(max(surface["friction"], surface["across"]))
