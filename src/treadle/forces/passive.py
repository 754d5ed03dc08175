"""Joint springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["damping", "passive_force", "stiffness"]


def passive_force(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], springs: bool = True
) -> list[Scalar]:
    """Joint forces -damping v - stiffness (q - reference), in N m or N; without `springs` the first alone."""
    force: list[Scalar] = []
    for joint in model.joints:
        for k, rate in enumerate(v[joint.v]):
            value = -(joint.damping[k] * rate)
            stiffness = joint.stiffness[k]
            if springs and not (isinstance(stiffness, float) and stiffness == 0.0):
                # only joints whose position is as long as their velocity can have a spring
                value = value - stiffness * (q[joint.q.start + k] - joint.reference[k])
            force.append(value)
    return force


def damping(model: Model) -> list[Scalar]:
    """Damping coefficient of every freedom, in N m s/rad or N s/m."""
    return [d for joint in model.joints for d in joint.damping]


def stiffness(model: Model) -> list[Scalar]:
    """Stiffness of the spring of every freedom, in N m/rad or N/m."""
    return [k for joint in model.joints for k in joint.stiffness]
