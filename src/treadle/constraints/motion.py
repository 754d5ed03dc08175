"""Prescribed motions: the position of a joint as a function of time, held by whatever force it takes.

    def crank(t): return 0.5 * td.sin(2.0 * t)
    sim = td.Simulation(model, motions={"crank": crank})

The force stays within the joint's effort limit; where that does not suffice, the joint lags behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["Motion", "check_motions", "motion_rows"]

#: Position (rad or m) at a time (s), over a generic scalar.
Motion = Callable[[Scalar], Scalar]


def motion_rows(
    model: Model, motions: Mapping[str, Motion], q: Sequence[Scalar], time: Scalar, dt: Scalar
) -> list[BoundedRow]:
    """Rows that bring joints to their positions at the end of a step."""
    rows = []
    for name, motion in motions.items():
        joint = model.joint(name)
        speed = (motion(time + dt) - q[joint.q.start]) / dt
        strength = ANY if joint.effort[0] == float("inf") else dt * joint.effort[0]
        rows.append(BoundedRow(joint.v.start, speed, speed, -strength, strength))
    return rows


def check_motions(model: Model, motions: Mapping[str, Motion]) -> dict[str, Motion]:
    """The motions, if each belongs to a joint with one freedom and gives a number."""
    for name, motion in motions.items():
        joint = model.joint(name)
        if joint.type.nv != 1:
            raise InputError(
                f"a motion needs a joint with one freedom: {name!r} is a {joint.type.kind} joint with "
                f"{joint.type.nv}"
            )
        try:
            float(motion(0.0))
        except (TypeError, ValueError) as error:
            raise InputError(f"the motion of {name!r} must be a function of the time: {error}") from None
    return dict(motions)
