"""Frames as force elements see them: where they are and how they move, seen from a common base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.dynamics.kinematics import joint_motion, joint_transform
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Mat3, Motion, Transform, Vec3

__all__ = [
    "FrameMotion", "about_base", "bodies_to", "common_body", "frame_motion", "freedoms_between", "on_body",
]  # fmt: skip


@dataclass(frozen=True)
class FrameMotion:
    """A frame in the axes of its base: pose, and velocity (angular, and linear of its origin).

    The base is the world, or a body that it moves relative to. `chain` are the bodies from the base to the
    one that holds the frame, with their poses in the base.
    """

    rotation: Mat3
    position: Vec3
    angular_velocity: Vec3
    velocity: Vec3
    body: int = WORLD
    chain: tuple[tuple[int, Transform], ...] = ()

    def columns(self, model: Model, q: Sequence[Scalar], point: Vec3 | None = None) -> dict[int, Motion]:
        """Its velocity per velocity of each degree of freedom, in the base's axes.

        The linear part is that of its origin, or of another `point` that moves with it.
        """
        point = self.position if point is None else point
        found: dict[int, Motion] = {}
        for index, X in self.chain:
            joint = model.bodies[index].joint
            for k, S in enumerate(joint.type.subspace(q[joint.q]), start=joint.v.start):
                angular = X.rotation.apply(S.angular)
                arm = point - X.translation
                found[k] = Motion(angular, X.rotation.apply(S.linear) + angular.cross(arm))
        return found


def common_body(model: Model, bodies: Sequence[int]) -> int:
    """The last body that the ways from the world to all of these share, or the world."""
    ways = [bodies_to(model, body) for body in bodies]
    base = WORLD
    for step in zip(*ways):
        if len(set(step)) > 1:
            break
        base = step[0]
    return base


def frame_motion(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], base: int, body: int, placement: Transform
) -> FrameMotion:
    """A frame fixed in a body, seen from a base that this body is, or is carried by."""
    way = bodies_to(model, body)
    way = way[way.index(base) + 1 :] if base != WORLD else way
    X, twist = Transform.identity(), Motion.zero()
    chain: list[tuple[int, Transform]] = []
    for index in way:
        joint = model.bodies[index].joint
        X_PB = joint_transform(model.bodies[index], q)
        own = joint_motion(joint.type.subspace(q[joint.q]), v[joint.v])
        twist = X_PB.motion_to_child(twist) + own if chain else own
        X = X @ X_PB if chain else X_PB
        chain.append((index, X))
    pose = X @ placement
    arm = placement.translation
    return FrameMotion(
        rotation=pose.rotation,
        position=pose.translation,
        angular_velocity=X.rotation.apply(twist.angular),
        velocity=X.rotation.apply(twist.linear + twist.angular.cross(arm)),
        body=body,
        chain=tuple(chain),
    )


def about_base(frame: FrameMotion, wrench: Force) -> Force:
    """A moment about the frame's origin and a force there as a moment about the origin of the base."""
    return Force(wrench.angular + frame.position.cross(wrench.linear), wrench.linear)


def on_body(frame: FrameMotion, wrench: Force) -> Force:
    """A wrench about the origin of the base, in its axes, as one in the frame of the body."""
    return frame.chain[-1][1].force_to_child(wrench) if frame.chain else wrench


def freedoms_between(model: Model, bodies: Sequence[int]) -> list[int]:
    """Degrees of freedom of the joints between bodies: on the ways to them, and not to all of them."""
    ways = [bodies_to(model, body) for body in bodies]
    shared = len(bodies_to(model, common_body(model, bodies)))
    between = dict.fromkeys(body for way in ways for body in way[shared:])
    joints = [model.bodies[body].joint for body in between]
    return [k for joint in joints for k in range(joint.v.start, joint.v.stop)]


def bodies_to(model: Model, body: int) -> list[int]:
    """Bodies from the world to this one."""
    way = []
    while body != WORLD:
        way.append(body)
        body = model.bodies[body].parent
    return way[::-1]
