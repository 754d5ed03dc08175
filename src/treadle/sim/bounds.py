"""All rows with bounded impulses that hold in a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limit_rows
from treadle.constraints.motion import Motion, motion_rows
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["bound_rows"]


def bound_rows(
    model: Model,
    motions: Mapping[str, Motion],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    spent: Sequence[Scalar] = (),
) -> list[BoundedRow]:
    """Prescribed motions, stops, and friction less what it has already `spent`."""
    held = motion_rows(model, motions, q, time, dt)
    return [*held, *limit_rows(model, q, v, dt), *friction_rows(model, dt, spent)]
