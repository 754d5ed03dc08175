"""Rows with bounded impulses: what holds a single freedom as long as its strength lasts.

A row wants the velocity of its freedom at the end of the step to lie between `slowest` and `fastest`, and may
spend an impulse between `low` and `high` (N m s or N s) on it. At a bound the velocity is what it becomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treadle.graph import Scalar, clip, maximum, minimum
from treadle.model.model import Model

__all__ = ["BoundedRow", "friction_rows", "limit_rows"]

#: Share of a violated limit that one step takes back, and how fast (rad/s, m/s) at most: all at once would
#: throw the joint out again.
RECOVERY, RECOVERY_SPEED = 0.2, 1.0

#: An impulse that nothing withstands (N m s, N s), a speed that nothing has.
ANY = 1e30


@dataclass(frozen=True)
class BoundedRow:
    """A freedom, the velocities it may have, and the impulses to spend; `active` if it may have to."""

    freedom: int
    slowest: Scalar
    fastest: Scalar
    low: Scalar
    high: Scalar
    active: Any = True


def friction_rows(model: Model, dt: Scalar, spent: Sequence[Scalar] = ()) -> list[BoundedRow]:
    """Coulomb friction of the joints: they stand still while it can hold them, and slide against it else.

    `spent` are impulses (nv) that it has already given in this step.
    """
    rows = []
    for joint in model.joints:
        for k, friction in enumerate(joint.friction):
            if not (isinstance(friction, float) and friction == 0.0):
                freedom, most = joint.v.start + k, dt * friction
                given = spent[freedom] if spent else 0.0
                rows.append(BoundedRow(freedom, 0.0, 0.0, -most - given, most - given))
    return rows


def limit_rows(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[BoundedRow]:
    """Stops at the ends of the joints' ranges: a joint that would pass one in this step ends there."""
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
    return BoundedRow(freedom, slowest, fastest, -ANY, ANY, active)
