"""Kinetic and potential energy."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.spatial import Vec3

__all__ = ["kinetic_energy", "potential_energy", "spring_energy"]


def kinetic_energy(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """Half v^T M v, in joules, rotors included."""
    total: Scalar = 0.0
    for body, velocity in zip(model.bodies, body_velocities(model, q, v), strict=True):
        total = total + 0.5 * velocity.dot(body.inertia.apply(velocity))
        for rate, armature in zip(v[body.joint.v], body.joint.armature, strict=True):
            total = total + (0.5 * armature) * (rate * rate)
    return total


def potential_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """Energy of the bodies in the gravity field, in joules, zero at the world's origin."""
    gravity = Vec3(*model.gravity)
    total: Scalar = 0.0
    for body, X_WB in zip(model.bodies, world_transforms(model, q), strict=True):
        moment = X_WB.rotation.apply(body.inertia.moment) + X_WB.translation * body.inertia.mass
        total = total - gravity.dot(moment)
    return total


def spring_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """Energy stored in the joint springs, in joules."""
    total: Scalar = 0.0
    for joint in model.joints:
        if all(isinstance(k, float) and k == 0.0 for k in joint.stiffness):
            continue
        for stiffness, reference, position in zip(joint.stiffness, joint.reference, q[joint.q], strict=True):
            total = total + (0.5 * stiffness) * (position - reference) ** 2
    return total
