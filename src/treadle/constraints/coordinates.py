"""What stops, friction and the like act on: dofs of the tree, those of loop joints, lengths of tendons.

A dof of the tree is its own coordinate. That of a loop joint is measured between its two frames, and
moves with several dofs: its rate is J v, and a force f on it is the joint forces J^T f. So is the length
of a tendon, whose J are its moment arms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.constraints.loop import loop_frames
from treadle.forces.tendon import tendon_coordinate
from treadle.graph import Scalar, floor
from treadle.model.attachments import Loop
from treadle.model.model import Model, ModelJoint
from treadle.model.tendons import Tendon

__all__ = ["Coordinate", "loop_coordinates", "tendon_coordinates", "tree_coordinates"]


@dataclass(frozen=True)
class Coordinate:
    """The k-th dof of a joint, or a tendon: its position (None for a turn in space) and its rate J v."""

    joint: ModelJoint | Loop | Tendon
    k: int
    position: Scalar | None
    jacobian: dict[int, Scalar]

    @property
    def loop(self) -> tuple[str, int] | None:
        """Name of the joint and number of the degree of freedom, if the joint closes a loop."""
        return (self.joint.name, self.k) if isinstance(self.joint, Loop) else None

    def rate(self, v: Sequence[Scalar]) -> Scalar:
        """J v."""
        return sum((x * v[i] for i, x in self.jacobian.items()), 0.0)


def tree_coordinates(model: Model, q: Sequence[Scalar]) -> list[Coordinate]:
    """All degrees of freedom of the tree."""
    return [
        Coordinate(
            joint,
            k,
            q[joint.q.start + k] if joint.type.nq == joint.type.nv else None,
            {joint.v.start + k: 1.0},
        )
        for joint in model.joints
        for k in range(joint.type.nv)
    ]


def loop_coordinates(model: Model, q: Sequence[Scalar], loops: Sequence[Loop]) -> list[Coordinate]:
    """All degrees of freedom of some joints that close loops; q must be traced."""
    measured = [
        (loop, k, value)
        for loop in loops
        if loop.type is not None
        for k, value in enumerate(loop.type.coordinates(*loop_frames(model, q, loop)[1:]))
    ]
    if not measured:
        return []
    from treadle.dynamics.derivatives import tangent_seeds
    from treadle.graph import forward

    values = [value for _, _, value in measured]
    slopes = forward(values, tangent_seeds(model, q), model.nv)  # type: ignore[arg-type]
    coordinates = []
    for (loop, k, value), slope in zip(measured, slopes, strict=True):
        jacobian: dict[int, Scalar] = {
            i: x for i, x in enumerate(slope) if not (isinstance(x, float) and x == 0.0)
        }
        # a turn that the tree cannot make, as across the plane of a planar loop, needs no care
        if jacobian:
            coordinates.append(Coordinate(loop, k, _position(loop, k, value), jacobian))
    return coordinates


def tendon_coordinates(model: Model, q: Sequence[Scalar], tendons: Sequence[Tendon]) -> list[Coordinate]:
    """Lengths of some tendons."""
    return [Coordinate(tendon, 0, *tendon_coordinate(model, tendon, q)) for tendon in tendons]


def _position(loop: Loop, k: int, value: Scalar) -> Scalar | None:
    """The measured value; an angle within half a turn of the middle of its range."""
    kind = loop.type
    if kind is None or kind.nq != kind.nv:
        return None
    if kind.position_units[k] != "rad" or getattr(kind, "pitch", 0.0) != 0.0:
        return value
    middle = _middle(loop, k)
    return value - 2.0 * math.pi * floor((value - middle) / (2.0 * math.pi) + 0.5)


def _middle(loop: Loop, k: int) -> float:
    """Of its limits; a quarter turn inside a single one; or where its spring is at rest."""
    lower, upper = loop.lower[k], loop.upper[k]
    if lower > -math.inf and upper < math.inf:
        return 0.5 * (lower + upper)
    if lower > -math.inf:
        return lower + 0.5 * math.pi
    return upper - 0.5 * math.pi if upper < math.inf else loop.reference[k]
