"""Rows with bounded impulses: what holds a single freedom as long as its strength lasts.

A row wants the velocity of its freedom at the end of the step to be `target`, and may spend an impulse
between `low` and `high` (N m s or N s) on it. At a bound the velocity is what it becomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treadle.graph import Scalar, maximum, minimum, where
from treadle.model.model import Model

__all__ = ["BoundedRow", "friction_rows", "limit_rows"]

#: Share of a violated limit that one step takes back: all at once would throw the joint out again.
RECOVERY = 0.2

#: An impulse that nothing withstands, in N m s or N s.
ANY = 1e30


@dataclass(frozen=True)
class BoundedRow:
    """A freedom, the velocity it should have, and the impulses to spend; `active` if it does anything."""

    freedom: int
    target: Scalar
    low: Scalar
    high: Scalar
    active: Any = True


def friction_rows(model: Model, dt: Scalar) -> list[BoundedRow]:
    """Coulomb friction of the joints: they stand still while it can hold them, and slide against it else."""
    rows = []
    for joint in model.joints:
        for k, friction in enumerate(joint.friction):
            if not (isinstance(friction, float) and friction == 0.0):
                rows.append(BoundedRow(joint.v.start + k, 0.0, -(dt * friction), dt * friction))
    return rows


def limit_rows(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[BoundedRow]:
    """Stops at the ends of the joints' ranges: a joint that would pass one in this step ends there."""
    rows = []
    for joint in model.joints:
        if joint.type.nq != joint.type.nv or joint.continuous:
            continue
        for k in range(joint.type.nv):
            row = _limit_row(
                joint.v.start + k,
                q[joint.q.start + k],
                v[joint.v.start + k],
                joint.lower[k],
                joint.upper[k],
                dt,
            )
            if row is not None:
                rows.append(row)
    return rows


def _limit_row(
    freedom: int, q: Scalar, v: Scalar, lower: float, upper: float, dt: Scalar
) -> BoundedRow | None:
    ahead = q + dt * v
    target: Scalar = 0.0
    low: Scalar = 0.0
    high: Scalar = 0.0
    active: Any = False
    if lower > float("-inf"):
        hit = ahead < lower
        distance = (lower - q) / dt
        target = where(hit, minimum(distance, maximum(RECOVERY * distance, 0.0)), target)
        high, active = where(hit, ANY, 0.0), hit
    if upper < float("inf"):
        hit = ahead > upper
        distance = (upper - q) / dt
        target = where(hit, maximum(distance, minimum(RECOVERY * distance, 0.0)), target)
        low, active = where(hit, -ANY, 0.0), hit | active
    return None if active is False else BoundedRow(freedom, target, low, high, active)
