"""Coulomb friction of joints and tendons: they stand still while it can hold them, else slide against it."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.coordinates import loop_coordinates, tendon_coordinates, tree_coordinates
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["friction_rows"]


def friction_rows(
    model: Model, q: Sequence[Scalar], dt: Scalar, spent: Sequence[Scalar] = ()
) -> list[BoundedRow]:
    """A row for every degree of freedom that rubs: at rest, with at most dt times its friction.

    `spent` are impulses that each of them has already given in this step.
    """
    rows = []
    loops = [loop for loop in model.loops if any(loop.friction)]
    tendons = tendon_coordinates(model, q, [tendon for tendon in model.tendons if any(tendon.friction)])
    for coordinate in (*tree_coordinates(model, q), *loop_coordinates(model, q, loops), *tendons):
        friction = coordinate.joint.friction[coordinate.k]
        if not (isinstance(friction, float) and friction == 0.0):
            most = dt * friction
            given = spent[len(rows)] if spent else 0.0
            bounds = -most - given, most - given
            rows.append(BoundedRow(coordinate.jacobian, 0.0, 0.0, *bounds, loop=coordinate.loop))
    return rows
