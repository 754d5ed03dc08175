"""Prescribed motions: the position of a joint as a function of time, held by whatever force it takes.

    def crank(t): return 0.5 * td.sin(2.0 * t)
    sim = td.Simulation(model, motions={"crank": crank})

The force stays within the joint's effort limit; where that does not suffice, the joint lags behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["Motion", "motion_rows"]

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
        rows.append(BoundedRow({joint.v.start: 1.0}, speed, speed, -strength, strength))
    return rows
