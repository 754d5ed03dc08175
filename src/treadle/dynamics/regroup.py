"""Base inertial parameters: the same equations of motion from inertias with more zeros.

Whatever of a body's inertia does not change when its joint moves, and does not feel the joint's own
motion, may as well belong to the parent. Of a body that turns about its z axis that is its mass, the
moment m c_z and the part diag(a, a, 0) of its rotational inertia; of a body that slides, its whole
rotational inertia. Moving these from the tips to the base leaves M(q) and C(q, v) as they are, but the
bodies' own momenta, energies and reaction forces lose their meaning: use this for joint-space results
only. Khalil and Dombre (2002), section 9.4.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.graph import Scalar
from treadle.joints import Prismatic, Revolute
from treadle.model.model import WORLD, Model, ModelJoint
from treadle.spatial import Inertia, Mat3, Vec3

__all__ = ["regroup"]


def regroup(model: Model) -> Model:
    """The model with its inertias moved towards the base as far as they go."""
    inertia = [body.inertia for body in model.bodies]
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        moved = None if inertia[i].added is not None else _movable(body.joint, inertia[i])
        if moved is None:
            continue
        inertia[i] = _remainder(inertia[i], moved)
        if body.parent != WORLD:
            inertia[body.parent] = inertia[body.parent] + moved.to_parent(body.placement)
    bodies = tuple(replace(body, inertia=own) for body, own in zip(model.bodies, inertia, strict=True))
    return replace(model, bodies=bodies)


def _movable(joint: ModelJoint, inertia: Inertia) -> Inertia | None:
    """The part of an inertia that the joint does not touch, or None."""
    if type(joint.type) is Prismatic:
        return Inertia(0.0, Vec3(), inertia.rotational)
    if type(joint.type) is not Revolute:
        return None
    axis = list(joint.type.axis)
    if axis.count(0.0) != 2:
        return None
    k = next(i for i, x in enumerate(axis) if x != 0.0)
    across = (k + 1) % 3
    a = inertia.rotational.to_rows()[across][across]
    moment: list[Scalar] = [0.0, 0.0, 0.0]
    rotational: list[list[Scalar]] = [[0.0] * 3 for _ in range(3)]
    moment[k] = list(inertia.moment)[k]
    rotational[across][across] = rotational[3 - k - across][3 - k - across] = a
    return Inertia(inertia.mass, Vec3(*moment), Mat3.of(rotational))


def _remainder(inertia: Inertia, moved: Inertia) -> Inertia:
    """inertia - moved, with exact zeros where they are the same."""
    return Inertia(
        _minus(inertia.mass, moved.mass),
        Vec3(*[_minus(a, b) for a, b in zip(inertia.moment, moved.moment, strict=True)]),
        Mat3.of(
            [
                [_minus(a, b) for a, b in zip(row, other, strict=True)]
                for row, other in zip(inertia.rotational.rows, moved.rotational.rows, strict=True)
            ]
        ),
    )


def _minus(a: Scalar, b: Scalar) -> Scalar:
    return 0.0 if a is b else a - b
