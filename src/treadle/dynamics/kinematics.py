"""Forward kinematics: where bodies are and how they move. Featherstone (2008), sections 3.5 and 4.4."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, memoized
from treadle.joints import Joint
from treadle.model.model import WORLD, Body, Model
from treadle.spatial import Motion, Transform

__all__ = [
    "body_accelerations", "body_velocities", "frame_placements", "joint_motion", "joint_transform",
    "joint_transforms", "world_transforms",
]  # fmt: skip


def joint_transforms(model: Model, q: Sequence[Scalar]) -> list[Transform]:
    """Pose X_PB of every body in its parent."""
    return [joint_transform(body, q) for body in model.bodies]


def joint_transform(body: Body, q: Sequence[Scalar]) -> Transform:
    """Pose X_PB of a body in its parent."""
    return _moved(body.placement, body.joint.type, q[body.joint.q])


@memoized
def _moved(placement: Transform, joint: Joint, q: Sequence[Scalar]) -> Transform:
    return placement @ joint.transform(q)


def world_transforms(model: Model, q: Sequence[Scalar]) -> list[Transform]:
    """Pose X_WB of every body in the world."""
    poses: list[Transform] = []
    for body, X_PB in zip(model.bodies, joint_transforms(model, q), strict=True):
        poses.append(X_PB if body.parent == WORLD else poses[body.parent] @ X_PB)
    return poses


def frame_placements(model: Model, q: Sequence[Scalar]) -> list[Transform]:
    """Pose X_WF of every named frame in the world."""
    poses = world_transforms(model, q)
    return [
        frame.placement if frame.body == WORLD else poses[frame.body] @ frame.placement
        for frame in model.frames
    ]


def body_velocities(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], X: Sequence[Transform] | None = None
) -> list[Motion]:
    """Spatial velocity of every body, in its own frame: v_i = X v_parent + S_i v."""
    X = joint_transforms(model, q) if X is None else X
    velocities: list[Motion] = []
    for body, X_PB in zip(model.bodies, X, strict=True):
        relative = joint_motion(body.joint.type.subspace(q[body.joint.q]), v[body.joint.v])
        carried = Motion.zero() if body.parent == WORLD else X_PB.motion_to_child(velocities[body.parent])
        velocities.append(carried + relative)
    return velocities


def body_accelerations(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    base: Motion | None = None,
) -> list[Motion]:
    """Spatial acceleration of every body, in its own frame; `base` is that of the world, if it has one."""
    X = joint_transforms(model, q)
    velocity = body_velocities(model, q, v, X)
    acceleration: list[Motion] = []
    for i, body in enumerate(model.bodies):
        joint, qi, vi = body.joint, q[body.joint.q], v[body.joint.v]
        S = joint.type.subspace(qi)
        own = joint_motion(S, a[joint.v]) + joint.type.bias(qi, vi) + velocity[i].cross(joint_motion(S, vi))
        carried = base if body.parent == WORLD else acceleration[body.parent]
        acceleration.append(own if carried is None else X[i].motion_to_child(carried) + own)
    return acceleration


def joint_motion(S: Sequence[Motion], v: Sequence[Scalar]) -> Motion:
    """S v."""
    total = Motion.zero()
    for column, rate in zip(S, v, strict=True):
        total = total + column * rate
    return total
