"""Whether every joint moves some inertia, so that forces determine accelerations.

The joint-space inertia matrix factors into the blocks D = S^T IA S + armature of the articulated-body
algorithm (Featherstone 2008, section 7.3): it is singular where one of them is. One random pose
decides, because D is an analytic function of the pose: if it is singular there, it is everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from treadle.errors import ModelError
from treadle.model.model import WORLD, Body, Model
from treadle.spatial import Inertia, Transform

__all__ = ["SingularJoint", "require_regular", "singular_joints"]

#: D below this share of the inertia at hand is rounding noise
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class SingularJoint:
    """A joint whose motion meets no inertia, and the body it moves."""

    joint: str
    body: str


def require_regular(model: Model, file: str | None = None) -> None:
    """ModelError if a joint of the model moves no inertia."""
    for singular in singular_joints(model):
        message = f'body "{singular.body}" and what it carries have no inertia along the motion of this joint'
        hint = f'give "{singular.body}" a mass and an inertia, or the joint an armature'
        raise ModelError(message, file=file, element=f'joint "{singular.joint}"', hint=hint)


def singular_joints(model: Model) -> list[SingularJoint]:
    """The joints that make the joint-space inertia matrix of the model (of floats) singular."""
    kept = vars(model).setdefault("_functions", {})
    if "singular" not in kept:
        kept["singular"] = _singular_joints(model)
    return kept["singular"]


def _singular_joints(model: Model) -> list[SingularJoint]:
    positions = _random_pose(model)
    articulated = [_matrix(body.inertia) for body in model.bodies]
    # the same with the children's joints locked: what D is measured against
    locked = [matrix.copy() for matrix in articulated]
    found = []
    for index in reversed(range(len(model.bodies))):
        body, IA, q = model.bodies[index], articulated[index], positions[index]
        S = np.array([list(column) for column in body.joint.type.subspace(q)], dtype=float).T
        U = IA @ S
        D = S.T @ U + np.diag(np.array(body.joint.armature, dtype=float))
        inverse, singular = _inverse(D, _largest(S, locked[index]))
        if singular:
            found.append(SingularJoint(body.joint.name, body.name))
        if body.parent != WORLD:
            X = _force_matrix(body, q)
            articulated[body.parent] += X @ (IA - U @ inverse @ U.T) @ X.T
            locked[body.parent] += X @ IA @ X.T
    return found[::-1]


def _random_pose(model: Model) -> list[list[float]]:
    """Position of every joint; not through `Joint.sample`, for importing numpy.random takes 20 ms."""
    random = Random(0)
    joints = [body.joint.type for body in model.bodies]
    return [
        joint.integrate(joint.neutral(), [random.uniform(-1.0, 1.0) for _ in range(joint.nv)])  # type: ignore[misc]
        for joint in joints
    ]


def _matrix(inertia: Inertia) -> np.ndarray:
    """The 6 x 6 matrix of a rigid-body inertia."""
    mass, h = float(inertia.mass), _skew(np.array(list(inertia.moment)))  # type: ignore[arg-type]
    matrix = np.diag([0.0, 0.0, 0.0, mass, mass, mass])
    matrix[:3, :3], matrix[:3, 3:], matrix[3:, :3] = inertia.rotational.to_rows(), h, h.T
    if inertia.added is not None:
        matrix += np.array(inertia.added.to_matrix(), dtype=float)
    return matrix


def _largest(S: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """For each column of S a bound on S^T I S, whatever the direction of the column."""
    angular, linear = abs(np.trace(inertia[:3, :3])), abs(np.trace(inertia[3:, 3:]))
    return angular * (S[:3] ** 2).sum(axis=0) + linear * (S[3:] ** 2).sum(axis=0)


def _inverse(D: np.ndarray, largest: np.ndarray) -> tuple[np.ndarray, bool]:
    """Inverse of D over the directions that have inertia, and whether some have none."""
    scale = np.sqrt(np.maximum(largest, np.abs(np.diag(D))))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(D / np.outer(scale, scale))
    empty = np.abs(values) < _TOLERANCE
    inverse = np.where(empty, 0.0, 1.0 / np.where(empty, 1.0, values))
    scaled = vectors / scale[:, None]
    return (scaled * inverse) @ scaled.T, bool(empty.any())


def _force_matrix(body: Body, q: list[float]) -> np.ndarray:
    """6 x 6 matrix that takes forces in the body to forces in its parent."""
    X_PB: Transform = body.placement @ body.joint.type.transform(q)
    R, p = np.array(X_PB.rotation.to_rows()), np.array(list(X_PB.translation))
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R
    X[:3, 3:] = _skew(p) @ R
    return X


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
