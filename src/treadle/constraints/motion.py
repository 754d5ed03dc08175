"""Prescribed motions: the position of a joint as a function of time, held by whatever force it takes.

    def crank(t): return 0.5 * td.sin(2.0 * t)
    sim = td.Simulation(model, motions={"crank": crank})

The force stays within the joint's effort limit; where that does not suffice, the joint lags behind.

Where the way of a span is its length times the mean of the velocities at its ends, to arrive with every span
would leave a velocity that is wrong at the start wrong at every end, now too large and now too small. There a
row wants the rate of the motion, and half of what is missing: after two spans both are right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.graph import Expr, Scalar, forward
from treadle.model.model import Model

__all__ = ["Motion", "motion_rows"]

#: Position (rad or m) at a time (s), over a generic scalar.
Motion = Callable[[Scalar], Scalar]


def motion_rows(
    model: Model,
    motions: Mapping[str, Motion],
    q: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    mean: bool = False,
) -> list[BoundedRow]:
    """Rows that bring joints to their positions at the end of a step.

    With `mean` they are rows of the middle of a span, dt before its end.
    """
    rows = []
    for name, motion in motions.items():
        joint = model.joint(name)
        end = time + dt
        speed = ((there := motion(end)) - q[joint.q.start]) / dt
        if mean:
            speed = 0.5 * (speed + _rate(there, end))
        strength = ANY if joint.effort[0] == float("inf") else dt * joint.effort[0]
        rows.append(BoundedRow({joint.v.start: 1.0}, speed, speed, -strength, strength))
    return rows


def _rate(position: Scalar, time: Scalar) -> Scalar:
    return forward([position], {time: {0: 1.0}}, 1)[0][0] if isinstance(time, Expr) else 0.0
