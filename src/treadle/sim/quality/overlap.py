"""Where rigid bodies were in each other when the run began."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.sim.quality.run import Run

__all__ = ["Overlap", "start_overlap"]


class Overlap(NamedTuple):
    """Two shapes, and how deep (m) they are in each other."""

    first: str
    second: str
    depth: float


def start_overlap(run: Run) -> Overlap | None:
    """The deepest overlap of rigid shapes at the start, None where there was none."""
    # the kernels of contact are there already where this is asked
    from treadle.collision.queries import contact_points
    from treadle.sim.step.materials import surface_table

    collider = run.sim.collider()
    table = surface_table(collider.model, collider.shapes)
    kind = dict(zip(collider.names, table.kind.tolist(), strict=True))

    def rigid(first: str, second: str) -> bool:
        return not np.isfinite(table.surfaces["stiffness"][table.surface_of[kind[first], kind[second]]])

    found = [
        Overlap(point.first, point.second, -point.distance)
        for point in contact_points(collider, run.start.q)
        if point.distance < 0.0 and rigid(point.first, point.second)
    ]
    return max(found, key=lambda overlap: overlap.depth, default=None)
