"""Stops at the ends of the joints' ranges.

A rigid stop ends a joint that would pass it in this step right there, or throws it back with `restitution`
times the speed that it came with. One with `stiffness` k and `damping` d yields as a spring and damper that
only push, taken at the end of the step, so that no stop is too hard for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from treadle.constraints.bounded import ANY, BoundedRow, soft
from treadle.constraints.coordinates import (
    Coordinate,
    loop_coordinates,
    tendon_coordinates,
    tree_coordinates,
)
from treadle.graph import Scalar, clip, maximum, minimum, where
from treadle.model.attachments import Loop
from treadle.model.model import Model, ModelJoint, finite_limit
from treadle.model.tendons import Tendon

__all__ = ["Stop", "limit_rows", "limited_coordinates", "stop_row"]

#: Share of a violated limit that one step takes back, and how fast (rad/s, m/s) at most: all at once would
#: throw the joint out again.
RECOVERY, RECOVERY_SPEED = 0.2, 1.0


class Stop(NamedTuple):
    """What happens at the end of a range."""

    restitution: Scalar = 0.0
    stiffness: Scalar = 0.0
    damping: Scalar = 0.0


def limit_rows(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    dt: Scalar,
    before: Sequence[Scalar] = (),
    over: Scalar | None = None,
) -> list[BoundedRow]:
    """A row for every dof and tendon with a stop; v is the velocity without, `before` that at the start.

    `over` (s) is what `dt` is a part of: a violated limit is taken back as fast as in a step that long.
    """
    rows = []
    for coordinate in limited_coordinates(model, q):
        joint, k = coordinate.joint, coordinate.k
        row = stop_row(coordinate, joint.lower[k], joint.upper[k], _stop(joint, k), v, dt, before, over)
        assert row is not None
        rows.append(row)
    return rows


def limited_coordinates(model: Model, q: Sequence[Scalar]) -> list[Coordinate]:
    """Every degree of freedom and tendon whose range has an end, in the order of their rows."""
    loops = [loop for loop in model.loops if _limited(loop) and loop.type.kind != "rope"]  # type: ignore[union-attr]
    tendons = tendon_coordinates(model, q, [tendon for tendon in model.tendons if tendon.limited])
    return [
        coordinate
        for coordinate in (*tree_coordinates(model, q), *loop_coordinates(model, q, loops), *tendons)
        if coordinate.position is not None
        and not coordinate.joint.continuous
        and _ends(coordinate.joint, coordinate.k)
    ]


def stop_row(
    coordinate: Coordinate,
    lower: Scalar,
    upper: Scalar,
    stop: Stop,
    v: Sequence[Scalar],
    dt: Scalar,
    before: Sequence[Scalar] = (),
    over: Scalar | None = None,
) -> BoundedRow | None:
    """The row that keeps a coordinate in its range, as `limit_rows` has it; None if that has no end."""
    low, high = finite_limit(lower), finite_limit(upper)
    if not (low or high):
        return None
    position: Any = coordinate.position
    ahead = position + dt * coordinate.rate(v)
    speed = coordinate.rate(before) if before and stop.restitution != 0.0 else 0.0
    slowest, fastest = -ANY, ANY
    active: Any = False
    softness: Scalar = 0.0
    # of the speed that would bring it back in one step
    share: Scalar = RECOVERY if over is None else RECOVERY * dt / over
    most = RECOVERY_SPEED
    if stop.stiffness != 0.0 or stop.damping != 0.0:
        softness, share = soft(stop.stiffness, stop.damping, dt)
        most = ANY
    if low:
        distance, active = (lower - position) / dt, ahead < lower
        slowest = minimum(distance, clip(share * distance, 0.0, most))
        if stop.restitution != 0.0:
            slowest = where(active & (speed < 0.0), -(stop.restitution * speed), slowest)
    if high:
        distance, beyond = (upper - position) / dt, ahead > upper
        fastest = maximum(distance, clip(share * distance, -most, 0.0))
        if stop.restitution != 0.0:
            fastest = where(beyond & (speed > 0.0), -(stop.restitution * speed), fastest)
        active = beyond | active
    return BoundedRow(coordinate.jacobian, slowest, fastest, -ANY, ANY, active, softness, coordinate.loop)


def _limited(joint: ModelJoint | Loop | Tendon) -> bool:
    return any(finite_limit(x) for x in (*joint.lower, *joint.upper))


def _ends(joint: ModelJoint | Loop | Tendon, k: int) -> bool:
    return finite_limit(joint.lower[k]) or finite_limit(joint.upper[k])


def _stop(joint: ModelJoint | Loop | Tendon, k: int) -> Stop:
    return Stop(joint.limit_restitution[k], joint.limit_stiffness[k], joint.limit_damping[k])
