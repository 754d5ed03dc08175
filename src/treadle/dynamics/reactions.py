"""Forces through the joints: all six components, not only those along the freedoms that `rnea` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.dynamics.kinematics import body_accelerations, body_velocities, joint_transforms
from treadle.dynamics.rnea import added_relief, base_acceleration
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import Force

__all__ = ["joint_reactions"]


def joint_reactions(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
) -> list[Force]:
    """Force that every body gets from its parent through its joint: (moment, force), in the body's frame.

    It accelerates the body and carries those behind it (Featherstone 2008, table 5.1):

        f_i = I_i a_i + v_i x* I_i v_i - external_i + sum of the children's f

    Its part along the joint's freedoms is the force of motors, springs and dampers, less what turns the
    rotors: S^T f = tau - armature a. `external[i]` is a force on body i, in its own frame.
    """
    X = joint_transforms(model, q)
    velocity = body_velocities(model, q, v, X)
    acceleration = body_accelerations(model, q, v, a, base_acceleration(model))
    external = external or {}
    relief = added_relief(model, X)
    force: list[Force] = []
    for i, body in enumerate(model.bodies):
        needed = body.inertia.apply(acceleration[i])
        needed = needed + velocity[i].cross_force(body.inertia.apply(velocity[i]))
        if i in relief:
            needed = needed - relief[i]
        force.append(needed - external[i] if i in external else needed)
    for i in reversed(range(len(model.bodies))):
        parent = model.bodies[i].parent
        if parent != WORLD:
            force[parent] = force[parent] + X[i].force_to_parent(force[i])
    return force
