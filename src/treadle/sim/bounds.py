"""All rows with bounded impulses that hold in a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limit_rows
from treadle.constraints.motion import Motion, motion_rows, moved_dofs
from treadle.constraints.motor import motor_rows
from treadle.constraints.rope import rope_rows
from treadle.constraints.spring import spring_rows
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["bound_rows", "most_rows"]


def most_rows(model: Model, motions: Mapping[str, Motion]) -> int:
    """As many rows as `bound_rows` has at most, or more."""
    parts = [*model.joints, *model.loops]
    free = sum(len(part.friction) for part in parts)
    return (
        len(moved_dofs(model, motions)) + sum(a.rigid for a in model.actuators) + 3 * free + len(model.loops)
    )


def bound_rows(
    model: Model,
    motions: Mapping[str, Motion],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    spent: Sequence[Scalar] = (),
    before: Sequence[Scalar] = (),
    commands: Sequence[Scalar] = (),
    sprung: bool = False,
    over: Scalar | None = None,
) -> list[BoundedRow]:
    """Prescribed motions, rigid motors, stops, ropes, and friction less what it has already `spent`.

    v is the velocity without them, `before` that at the start of the step. If `sprung`, the springs and
    dampers of loop joints are among them. With `over` (s) the rows are those of the middle of a span, dt
    before its end, and the span is a part of a step, half of which takes `over`.
    """
    held = motion_rows(model, motions, q, time, dt, over)
    held += motor_rows(model, commands, q, dt, over)
    ends = [*limit_rows(model, q, v, dt, before, over), *rope_rows(model, q, v, dt, before, over)]
    springs = spring_rows(model, q, dt) if sprung else []
    return [*held, *ends, *springs, *friction_rows(model, q, dt, spent)]
