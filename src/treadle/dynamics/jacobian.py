"""Jacobians of frames: the linear map from v to a frame's spatial velocity."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.kinematics import world_transforms
from treadle.graph import Scalar
from treadle.model.model import WORLD, Frame, Model

__all__ = ["frame_jacobian"]


def frame_jacobian(model: Model, q: Sequence[Scalar], frame: Frame) -> list[list[Scalar]]:
    """6 x nv Jacobian of a frame F in world axes: J v = (angular velocity, velocity of F's origin).

    Column of a joint axis (w, u), turned into world axes: (w, u + w x (p_F - p_i)).
    """
    columns: list[list[Scalar]] = [[0.0] * 6 for _ in range(model.nv)]
    X_WB = world_transforms(model, q)
    if frame.body != WORLD:
        origin = (X_WB[frame.body] @ frame.placement).translation
        i = frame.body
        while i != WORLD:
            body, X = model.bodies[i], X_WB[i]
            arm = origin - X.translation
            for k, S in zip(_range(body.joint.v), body.joint.type.subspace(q[body.joint.q]), strict=True):
                angular = X.rotation.apply(S.angular)
                columns[k] = [*angular, *(X.rotation.apply(S.linear) + angular.cross(arm))]
            i = body.parent
    return [[column[row] for column in columns] for row in range(6)]


def _range(part: slice) -> range:
    return range(part.start, part.stop)
