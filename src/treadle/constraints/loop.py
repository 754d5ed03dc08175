"""Joints that close loops: the same joint frame seen from both sides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from treadle.dynamics.kinematics import joint_transform
from treadle.graph import Scalar
from treadle.joints.joint import Closure, across, aligned, apart
from treadle.joints.revolute import Revolute
from treadle.model.attachments import Loop
from treadle.model.loop_path import loop_path
from treadle.model.model import Model
from treadle.spatial import Transform, Vec3

__all__ = ["closure_at", "loop_closure", "loop_frames"]

#: Joints that hold a point in all directions; sines of tilts that are rounding.
_POINTS, _NO_TILT = ("revolute", "ball", "universal"), 1e-12


def loop_closure(model: Model, q: Sequence[Scalar], loop: Loop) -> Closure:
    """Lengths (m) and sines of angles that vanish where the loop is closed."""
    _, P, S = loop_frames(model, q, loop)
    return closure_at(model, loop, P, S)


def closure_at(model: Model, loop: Loop, P: Transform, S: Transform) -> Closure:
    """What vanishes where the loop is closed, for the joint's frame in the predecessor and the successor."""
    lengths, sines = _fixed(P, S) if loop.type is None else loop.type.closure(P, S)
    axes = _level(model, loop) if loop.type is None or loop.type.kind in _POINTS else None
    return lengths if axes is None else [axis.dot(Vec3(*lengths)) for axis in axes], sines


def loop_frames(model: Model, q: Sequence[Scalar], loop: Loop) -> tuple[int, Transform, Transform]:
    """The joint's frame in the predecessor and in the successor, both seen from one body, and which.

    It is the body where their ways to the base meet, so that nothing depends on the joints below it.
    """
    meeting, first, second = loop_path(model, loop)
    P = _pose(model, q, first) @ loop.predecessor_placement
    S = _pose(model, q, second) @ loop.successor_placement
    return meeting, P, S


def _level(model: Model, loop: Loop) -> tuple[Vec3, Vec3, Vec3] | None:
    """Directions across the first hinge of the loop, and along it; None if those of the body do as well.

    A planar linkage moves across its hinges. In a plane at a small angle to a coordinate axis two of three
    coordinates tell nearly the same; what rounded numbers leave of one is then magnified in the third.
    """
    _, first, second = loop_path(model, loop)
    hinges = [model.bodies[way[-1]] for way in (first, second) if way]
    turning = [body for body in hinges if isinstance(body.joint.type, Revolute)]
    if not turning:
        return None
    axis = turning[0].placement.rotation.apply(turning[0].joint.type.axis)  # type: ignore[attr-defined]
    if sum(abs(float(x)) > _NO_TILT for x in axis) == 1:  # type: ignore[arg-type]
        return None
    return (*across(axis), axis)


def _pose(model: Model, q: Sequence[Scalar], way: Sequence[int]) -> Transform:
    moved = [joint_transform(model.bodies[index], q) for index in reversed(way)]
    return reduce(Transform.__matmul__, moved) if moved else Transform.identity()


def _fixed(P: Transform, S: Transform) -> Closure:
    """Nothing moves: no distance, and no turn about any axis."""
    x, y, z = Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0)
    return apart(P, S), [*aligned(P, S, z), P.rotation.apply(y).dot(S.rotation.apply(x))]
