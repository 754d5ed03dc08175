"""Composite-rigid-body algorithm: the joint-space inertia matrix. Featherstone (2008), table 6.2."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.kinematics import joint_transforms
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import Inertia

__all__ = ["crba"]


def crba(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Symmetric nv x nv matrix M(q); entries between different branches are the float 0.0.

    What a step adds to it (`model.added_inertia`) is part of it.
    """
    X = joint_transforms(model, q)
    S = [body.joint.type.subspace(q[body.joint.q]) for body in model.bodies]
    composite: list[Inertia] = [body.inertia for body in model.bodies]
    for i in reversed(range(len(model.bodies))):
        parent = model.bodies[i].parent
        if parent != WORLD:
            composite[parent] = composite[parent] + composite[i].to_parent(X[i])

    M: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    for i, body in enumerate(model.bodies):
        start = body.joint.v.start
        for k, column in enumerate(S[i]):
            force = composite[i].apply(column)
            for m, other in enumerate(S[i][: k + 1]):
                M[start + k][start + m] = M[start + m][start + k] = other.dot(force)
            M[start + k][start + k] = M[start + k][start + k] + body.joint.armature[k]
            j = i
            while model.bodies[j].parent != WORLD:
                force = X[j].force_to_parent(force)
                j = model.bodies[j].parent
                for m, other in enumerate(S[j]):
                    index = model.bodies[j].joint.v.start + m
                    M[start + k][index] = M[index][start + k] = other.dot(force)
    for (i, j), x in model.added_inertia.items():
        M[i][j] = M[i][j] + x
    return M
