"""Joints that close loops, as force laws see them: positions, velocities, and what forces on them amount to.

The coordinates of such a joint are measured between its two frames and move with several degrees of freedom:
its rates are J v, and forces f on it are the joint forces J^T f.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treadle.errors import InputError
from treadle.forces.frames import common_body, frame_motion
from treadle.graph import Expr, Scalar, evaluate, forward, trace
from treadle.model.attachments import Loop
from treadle.model.model import Model
from treadle.spatial import Transform

__all__ = ["LoopJoint", "loop_joint"]


class LoopJoint(NamedTuple):
    """Coordinates of a joint that closes a loop, and their rates by degree of freedom (J)."""

    loop: Loop
    coordinates: list[Scalar]
    jacobian: list[list[Scalar]]

    @property
    def positions(self) -> list[Scalar]:
        """Its positions; angles within half a turn of zero."""
        kind = self.loop.type
        if kind is None or kind.nq != kind.nv:
            raise InputError(
                f"the joint {self.loop.name!r} closes a loop and has no position to read; use its velocity"
            )
        return self.coordinates

    def velocities(self, v: Sequence[Scalar]) -> list[Scalar]:
        """J v."""
        return [sum((x * rate for x, rate in zip(row, v, strict=True)), 0.0) for row in self.jacobian]

    def joint_forces(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """J^T f."""
        count = len(self.jacobian[0]) if self.jacobian else 0
        pairs = list(zip(self.jacobian, forces, strict=True))
        return [sum((row[k] * force for row, force in pairs), 0.0) for k in range(count)]


def loop_joint(model: Model, loop: Loop, q: Sequence[Scalar]) -> LoopJoint:
    """A joint that closes a loop at a position of the machine."""
    from treadle.dynamics.derivatives import tangent_seeds

    kind = loop.type
    if kind is None:
        raise InputError(f"the joint {loop.name!r} is fixed and takes no force")
    bodies = (loop.predecessor, loop.successor)
    placements = (loop.predecessor_placement, loop.successor_placement)
    base, rest = common_body(model, bodies), [0.0] * model.nv

    def measured(at: list[Expr]) -> list[Scalar]:
        poses = []
        for body, placement in zip(bodies, placements, strict=True):
            frame = frame_motion(model, at, rest, base, body, placement)
            poses.append(Transform(frame.rotation, frame.position))
        values = list(kind.coordinates(*poses))
        rows = forward(values, tangent_seeds(model, at), model.nv)
        return [*values, *(x for row in rows for x in row)]

    graph, outputs = trace(measured, model.nq)
    found = evaluate(graph, outputs, q)
    count = len(outputs) // (model.nv + 1)
    rows = [found[count + k * model.nv : count + (k + 1) * model.nv] for k in range(count)]
    return LoopJoint(loop, found[:count], rows)
