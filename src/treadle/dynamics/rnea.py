"""Recursive Newton-Euler algorithm: inverse dynamics. Featherstone (2008), table 5.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.dynamics.kinematics import joint_motion, joint_transforms
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Motion, Transform, Vec3

__all__ = ["added_relief", "base_acceleration", "rnea"]


def rnea(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
) -> list[Scalar]:
    """Joint forces tau that give the acceleration a: tau = M(q) a + C(q, v).

    `external[i]` is a force on body i, in its own frame.
    """
    X = joint_transforms(model, q)
    external = external or {}
    relief = added_relief(model, X)
    S: list[list[Motion]] = []
    velocity: list[Motion] = []
    acceleration: list[Motion] = []
    force: list[Force] = []

    # outwards: motion, and the force that each body's motion needs
    for i, body in enumerate(model.bodies):
        joint, qi, vi = body.joint, q[body.joint.q], v[body.joint.v]
        S.append(joint.type.subspace(qi))
        v_J = joint_motion(S[i], vi)
        if body.parent == WORLD:
            v_i = v_J
            a_i = X[i].motion_to_child(base_acceleration(model))
        else:
            v_i = X[i].motion_to_child(velocity[body.parent]) + v_J
            a_i = X[i].motion_to_child(acceleration[body.parent])
        a_i = a_i + joint_motion(S[i], a[joint.v]) + joint.type.bias(qi, vi) + v_i.cross(v_J)
        velocity.append(v_i)
        acceleration.append(a_i)
        f_i = body.inertia.apply(a_i) + v_i.cross_force(body.inertia.apply(v_i))
        if i in relief:
            f_i = f_i - relief[i]
        force.append(f_i - external[i] if i in external else f_i)

    # inwards: project on the joint, hand the rest to the parent
    tau: list[Scalar] = [0.0] * model.nv
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        for k, column in enumerate(S[i]):
            index = body.joint.v.start + k
            tau[index] = column.dot(force[i]) + body.joint.armature[k] * a[index]
        if body.parent != WORLD:
            force[body.parent] = force[body.parent] + X[i].force_to_parent(force[i])
    return tau


def added_relief(model: Model, X: Sequence[Transform]) -> dict[int, Force]:
    """What the acceleration that stands for gravity would take of added masses, which have no weight."""
    if all(body.inertia.added is None for body in model.bodies):
        return {}
    relief: dict[int, Force] = {}
    lifted: list[Motion] = []
    for i, body in enumerate(model.bodies):
        carried = base_acceleration(model) if body.parent == WORLD else lifted[body.parent]
        lifted.append(X[i].motion_to_child(carried))
        if body.inertia.added is not None:
            relief[i] = body.inertia.added.apply(lifted[i])
    return relief


def base_acceleration(model: Model) -> Motion:
    """Gravity as the acceleration of the world in the opposite direction."""
    return Motion(Vec3(), -Vec3(*model.gravity))
