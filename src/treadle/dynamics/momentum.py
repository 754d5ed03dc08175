"""Spatial momentum and the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.spatial import Force, Vec3

__all__ = ["center_of_mass", "momentum"]


def momentum(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Force:
    """Spatial momentum about the world's origin: (angular N m s, linear N s), in world axes."""
    total = Force.zero()
    velocities = body_velocities(model, q, v)
    for body, X_WB, velocity in zip(model.bodies, world_transforms(model, q), velocities, strict=True):
        total = total + X_WB.force_to_parent(body.inertia.apply(velocity))
    return total


def center_of_mass(model: Model, q: Sequence[Scalar]) -> Vec3:
    """Centre of mass of all moving bodies, in the world (m)."""
    moment, mass = Vec3(), 0.0
    for body, X_WB in zip(model.bodies, world_transforms(model, q), strict=True):
        moment = moment + X_WB.rotation.apply(body.inertia.moment) + X_WB.translation * body.inertia.mass
        mass = mass + body.inertia.mass
    return moment * (1.0 / mass)
