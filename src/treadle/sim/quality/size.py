"""A length of the machine that errors are judged by."""

from __future__ import annotations

import math

from treadle.model.model import WORLD, Model
from treadle.spatial import Vec3

__all__ = ["machine_size"]


def machine_size(model: Model) -> float:
    """How far the machine reaches from its first joint, all links stretched out, in m; at least 1 mm."""
    reach: list[float] = []
    far = 1e-3
    for body in model.bodies:
        step = 0.0 if body.parent == WORLD else reach[body.parent] + _norm(body.placement.translation)
        reach.append(step)
        mass = float(body.inertia.mass)
        if mass > 0.0:
            trace = sum(float(row[k]) for k, row in enumerate(body.inertia.rotational.to_rows()))  # type: ignore[arg-type]
            # of a body's mass about its origin, in each direction
            far = max(far, step + math.sqrt(max(trace, 0.0) / (2.0 * mass)))
    for frame in model.frames:
        if frame.body != WORLD:
            far = max(far, reach[frame.body] + _norm(frame.placement.translation))
    return far


def _norm(vector: Vec3) -> float:
    return math.hypot(*(float(x) for x in vector))  # type: ignore[arg-type]
