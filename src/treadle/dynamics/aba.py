"""Articulated-body algorithm: forward dynamics in linear time. Featherstone (2008), table 7.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.dynamics.articulated import articulate, propagate
from treadle.dynamics.kinematics import joint_motion, joint_transforms
from treadle.dynamics.rnea import added_relief, base_acceleration
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Motion

__all__ = ["aba"]


def aba(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
) -> list[Scalar]:
    """Accelerations dv/dt under the joint forces tau: M(q) dv/dt + C(q, v) = tau.

    `external[i]` is a force on body i, in its own frame.
    """
    external = external or {}
    X = joint_transforms(model, q)
    S = [body.joint.type.subspace(q[body.joint.q]) for body in model.bodies]

    # velocities, velocity-product accelerations c and bias forces p
    relief = added_relief(model, X)
    velocity: list[Motion] = []
    c: dict[int, Motion] = {}
    p: dict[int, Force] = {}
    for i, body in enumerate(model.bodies):
        qi, vi = q[body.joint.q], v[body.joint.v]
        v_J = joint_motion(S[i], vi)
        v_i = v_J if body.parent == WORLD else X[i].motion_to_child(velocity[body.parent]) + v_J
        velocity.append(v_i)
        c[i] = body.joint.type.bias(qi, vi) + v_i.cross(v_J)
        p[i] = v_i.cross_force(body.inertia.apply(v_i))
        if i in relief:
            p[i] = p[i] - relief[i]
        if i in external:
            p[i] = p[i] - external[i]

    pivots, reduced = articulate(model, X, S)
    return propagate(model, X, pivots, reduced, p, tau, c, base_acceleration(model))
