"""Articulated inertias and the two sweeps through them. Featherstone (2008), sections 7.2 and 7.3.

The freedoms of a joint are eliminated one after the other, the first one first, as if each were a
joint of its own with nothing between: every pivot is a scalar and no small matrix is inverted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import ArticulatedInertia, Force, Motion, Transform

__all__ = ["Pivot", "articulate", "propagate"]


@dataclass(frozen=True)
class Pivot:
    """One eliminated freedom: its axis S, U = I S, and 1/D with D = S^T I S + armature."""

    S: Motion
    U: Force
    inverse: Scalar


def articulate(
    model: Model, X: Sequence[Transform], S: Sequence[Sequence[Motion]]
) -> tuple[list[list[Pivot]], list[ArticulatedInertia]]:
    """Pivots of every joint, and what each body's articulated inertia is to its parent, inwards."""
    inertia = [ArticulatedInertia.of(body.inertia) for body in model.bodies]
    pivots: list[list[Pivot]] = [[] for _ in model.bodies]
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        for axis, armature in zip(S[i], body.joint.armature, strict=True):
            U = inertia[i].apply(axis)
            inverse = 1.0 / (axis.dot(U) + armature)
            pivots[i].append(Pivot(axis, U, inverse))
            inertia[i] = inertia[i].minus_outer(U * inverse, U)
            if isinstance(armature, float) and armature == 0.0:
                # without a rotor the freedom is lost entirely: what is left vanishes along its axis
                inertia[i] = inertia[i].without(axis)
        if body.parent != WORLD:
            inertia[body.parent] = inertia[body.parent] + inertia[i].to_parent(X[i])
    return pivots, inertia


def propagate(
    model: Model,
    X: Sequence[Transform],
    pivots: Sequence[Sequence[Pivot]],
    reduced: Sequence[ArticulatedInertia],
    bias: Mapping[int, Force],
    tau: Sequence[Scalar],
    drift: Mapping[int, Motion],
    base: Motion,
) -> list[Scalar]:
    """Response of the joints: forces inwards, accelerations outwards.

    `bias[i]` is the force that body i needs to keep its velocity, minus what acts on it; `drift[i]`
    its acceleration at zero joint acceleration relative to its parent; `base` the world's own. The
    same sweeps serve impulses, which change velocities as forces change accelerations.
    """
    p: dict[int, Force] = dict(bias)
    u: list[Scalar] = [0.0] * model.nv
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        force = p.get(i, Force.zero())
        for k, pivot in enumerate(pivots[i], start=body.joint.v.start):
            u[k] = tau[k] - pivot.S.dot(force)
            force = force + pivot.U * (pivot.inverse * u[k])
        if body.parent != WORLD:
            if i in drift:
                force = force + reduced[i].apply(drift[i])
            p[body.parent] = p.get(body.parent, Force.zero()) + X[i].force_to_parent(force)

    response: list[Scalar] = [0.0] * model.nv
    acceleration: list[Motion] = []
    for i, body in enumerate(model.bodies):
        a = X[i].motion_to_child(base if body.parent == WORLD else acceleration[body.parent])
        if i in drift:
            a = a + drift[i]
        for k, pivot in reversed(list(enumerate(pivots[i], start=body.joint.v.start))):
            response[k] = pivot.inverse * (u[k] - a.dot(pivot.U))
            a = a + pivot.S * response[k]
        acceleration.append(a)
    return response
