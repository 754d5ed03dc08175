"""Stops at the ends of the joints' ranges: a joint that would pass one in this step ends there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.graph import Scalar, clip, maximum, minimum
from treadle.model.model import Model

__all__ = ["RECOVERY", "RECOVERY_SPEED", "limit_rows"]

#: Share of a violated limit that one step takes back, and how fast (rad/s, m/s) at most: all at once would
#: throw the joint out again.
RECOVERY, RECOVERY_SPEED = 0.2, 1.0


def limit_rows(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[BoundedRow]:
    """A row for every freedom with a stop."""
    rows = []
    for joint in model.joints:
        if joint.type.nq != joint.type.nv or joint.continuous:
            continue
        for k, (lower, upper) in enumerate(zip(joint.lower, joint.upper, strict=True)):
            freedom = joint.v.start + k
            row = _limit_row(freedom, q[joint.q.start + k], v[freedom], lower, upper, dt)
            if row is not None:
                rows.append(row)
    return rows


def _limit_row(
    freedom: int, q: Scalar, v: Scalar, lower: float, upper: float, dt: Scalar
) -> BoundedRow | None:
    if lower == float("-inf") and upper == float("inf"):
        return None
    ahead = q + dt * v
    slowest, fastest = -ANY, ANY
    active: Any = False
    if lower > float("-inf"):
        distance = (lower - q) / dt
        slowest = minimum(distance, clip(RECOVERY * distance, 0.0, RECOVERY_SPEED))
        active = ahead < lower
    if upper < float("inf"):
        distance = (upper - q) / dt
        fastest = maximum(distance, clip(RECOVERY * distance, -RECOVERY_SPEED, 0.0))
        active = (ahead > upper) | active
    return BoundedRow({freedom: 1.0}, slowest, fastest, -ANY, ANY, active)
