"""Prescribed motions: the position of a joint as a function of time, held by whatever force it takes.

    def crank(t): return 0.5 * td.sin(2.0 * t)
    sim = td.Simulation(model, motions={"crank": crank})

A joint with several degrees of freedom has a function that gives all of its positions; that of a free joint
may give the place of its body alone. A support that moves is a body on such a joint.

There are two ways to hold them. The rows of `motion_rows` are impulses within the joint's effort limit;
where that does not suffice, the joint lags behind. Methods that ask for no impulses on their way drive the
joint instead: a rotor that nothing turns (see `with_drive_rotors`) gets the acceleration of the motion,
exactly, and at the end of every step its position and velocity.

Where the way of a substep is its length times the mean of the velocities at its ends, to arrive with every
substep would leave a velocity that is wrong at the start wrong at every end, now too large and now too
small. There a row wants the rate of the motion, and half of what is missing: after two substeps both are
right. A substep may be as short as contact asks for: what is missing is made up for as in a whole step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.graph import Expr, Scalar, forward, sqrt, through_graph
from treadle.model.model import Model, ModelJoint

__all__ = [
    "DRIVE_ROTOR",
    "Motion",
    "Prescribed",
    "motion_rows",
    "moved_dofs",
    "prescribed",
    "with_drive_rotors",
]

#: Position (rad or m) at a time (s), over a generic scalar; several for joints with several degrees of
#: freedom.
Motion = Callable[[Scalar], Scalar | Sequence[Scalar]]

#: Inertia (kg m2 or kg) of the rotor of a driven joint.
DRIVE_ROTOR = 1e30


class Prescribed(NamedTuple):
    """Position, velocity and acceleration of a joint at a time."""

    q: list[Scalar]
    v: list[Scalar]
    a: list[Scalar]


def prescribed(joint: ModelJoint, motion: Motion, time: Scalar) -> Prescribed:
    """What a motion asks of its joint; ValueError where it gives too few or too many numbers."""
    nq, nv = joint.type.nq, joint.type.nv

    def all_rates(x: Sequence[Scalar]) -> list[Scalar]:
        (t,) = x
        q = _position(joint, motion(t))
        v = _velocity(joint, q, _rates(q, t))
        return [*q, *v, *_rates(v, t)]

    values = through_graph(all_rates, [time])
    return Prescribed(values[:nq], values[nq : nq + nv], values[nq + nv :])


def moved_dofs(model: Model, motions: Mapping[str, Motion]) -> list[int]:
    """Places in v of the joints that have motions."""
    return [k for name in motions for k in range(model.joint(name).v.start, model.joint(name).v.stop)]


def with_drive_rotors(model: Model, motions: Mapping[str, Motion]) -> Model:
    """The model with a rotor on every dof with a motion that no force of the machine moves."""
    bodies = [
        replace(body, joint=replace(body.joint, armature=(DRIVE_ROTOR,) * body.joint.type.nv))
        if body.joint.name in motions
        else body
        for body in model.bodies
    ]
    return replace(model, bodies=tuple(bodies))


def motion_rows(
    model: Model,
    motions: Mapping[str, Motion],
    q: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    over: Scalar | None = None,
) -> list[BoundedRow]:
    """Rows that bring joints to their positions at the end of a step.

    With `over` (s) they are rows of the middle of a substep, dt before its end, and half a step takes `over`.
    """
    rows = []
    for name, motion in motions.items():
        joint = model.joint(name)
        there = prescribed(joint, motion, time + dt)
        if over is None:
            speeds = [x / dt for x in joint.type.difference(q[joint.q], there.q)]
        else:
            here = prescribed(joint, motion, time)
            missing = joint.type.difference(q[joint.q], here.q)
            speeds = [
                0.5 * (_mean_rate(here, there, k, dt) + there.v[k] + x / over) for k, x in enumerate(missing)
            ]
        for k, speed in enumerate(speeds):
            strength = ANY if joint.effort[k] == float("inf") else dt * joint.effort[k]
            rows.append(BoundedRow({joint.v.start + k: 1.0}, speed, speed, -strength, strength))
    return rows


def _mean_rate(here: Prescribed, there: Prescribed, k: int, dt: Scalar) -> Scalar:
    """The way of a motion between two instants over the time between them, to fourth order (Hermite)."""
    return 0.5 * (here.v[k] + there.v[k]) - dt * (there.a[k] - here.a[k]) * (1.0 / 12.0)


def _position(joint: ModelJoint, value: Scalar | Sequence[Scalar]) -> list[Scalar]:
    """All positions of the joint, quaternions at unit length."""
    q: list[Any]
    try:
        q = list(value)  # type: ignore[arg-type]
    except TypeError:
        q = [value]
    if joint.type.kind == "free" and len(q) == 3:
        q = [1.0, 0.0, 0.0, 0.0, *q]
    if len(q) != joint.type.nq:
        wanted = f"{joint.type.nq} numbers" if joint.type.nq > 1 else "one number"
        raise ValueError(f"it gives {len(q)} numbers, and its {joint.type.kind} joint has {wanted}")
    if joint.type.nq > joint.type.nv:
        scale = 1.0 / sqrt(sum((x * x for x in q[:4]), 0.0))
        q = [*[x * scale for x in q[:4]], *q[4:]]
    return q


def _velocity(joint: ModelJoint, q: Sequence[Scalar], rate: Sequence[Scalar]) -> list[Scalar]:
    """The v with the given dq/dt; the columns of dq/dt = B v are across each other."""
    if joint.type.nq == joint.type.nv:
        return list(rate)
    v = []
    for k in range(joint.type.nv):
        column = joint.type.rate(q, [1.0 if i == k else 0.0 for i in range(joint.type.nv)])
        size = sum((x * x for x in column), 0.0)
        v.append(sum((x * y for x, y in zip(column, rate, strict=True)), 0.0) / size)
    return v


def _rates(values: Sequence[Scalar], time: Scalar) -> list[Scalar]:
    if not isinstance(time, Expr):
        return [0.0] * len(values)
    return [row[0] for row in forward(values, {time: {0: 1.0}}, 1)]
