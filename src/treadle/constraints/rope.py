"""Ropes: a distance that has an upper limit, so that the rope pulls where it is taut and never pushes."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.coordinates import loop_coordinates
from treadle.constraints.limit import Stop, stop_row
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["rope_rows"]


def rope_rows(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    dt: Scalar,
    before: Sequence[Scalar] = (),
    over: Scalar | None = None,
) -> list[BoundedRow]:
    """A row for every rope; arguments as of `limit_rows`."""
    ropes = [loop for loop in model.loops if loop.type is not None and loop.type.kind == "rope"]
    rows = []
    for coordinate in loop_coordinates(model, q, ropes):
        rope = coordinate.joint
        stop = Stop(rope.limit_restitution[0], rope.limit_stiffness[0], rope.limit_damping[0])
        row = stop_row(coordinate, -float("inf"), rope.upper[0], stop, v, dt, before, over)
        if row is not None:
            rows.append(row)
    return rows
