"""Springs and dampers of joints that close loops: -k (x - reference) - d dx/dt on their own coordinate.

Methods that kick and drift take them at the end of the step, as soft rows: no spring is too stiff for them.
The others take them as joint forces.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.bounded import ANY, BoundedRow, soft
from treadle.constraints.coordinates import Coordinate, loop_coordinates
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["spring_force", "spring_pulls", "spring_rows"]


def spring_rows(model: Model, q: Sequence[Scalar], dt: Scalar) -> list[BoundedRow]:
    """A soft row for every freedom of a loop joint with a spring or damper."""
    rows = []
    for coordinate in _sprung(model, q):
        joint, k = coordinate.joint, coordinate.k
        softness, share = soft(joint.stiffness[k], joint.damping[k], dt)
        speed: Scalar = 0.0
        if joint.stiffness[k] != 0.0 and coordinate.position is not None:
            speed = share * (joint.reference[k] - coordinate.position) / dt
        rows.append(BoundedRow(coordinate.jacobian, speed, speed, -ANY, ANY, True, softness, coordinate.loop))
    return rows


def spring_force(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Joint forces (nv) that they amount to."""
    force: list[Scalar] = [0.0] * model.nv
    for coordinate, pull in spring_pulls(model, q, v):
        for i, x in coordinate.jacobian.items():
            force[i] = force[i] + x * pull
    return force


def spring_pulls(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[tuple[Coordinate, Scalar]]:
    """Every coordinate of a loop joint with a spring or damper, and the force on it."""
    pulls = []
    for coordinate in _sprung(model, q):
        joint, k = coordinate.joint, coordinate.k
        pull = -(joint.damping[k] * coordinate.rate(v))
        if joint.stiffness[k] != 0.0 and coordinate.position is not None:
            pull = pull - joint.stiffness[k] * (coordinate.position - joint.reference[k])
        pulls.append((coordinate, pull))
    return pulls


def _sprung(model: Model, q: Sequence[Scalar]) -> list[Coordinate]:
    loops = [loop for loop in model.loops if any((*loop.stiffness, *loop.damping))]
    return [
        coordinate
        for coordinate in loop_coordinates(model, q, loops)
        if coordinate.joint.stiffness[coordinate.k] != 0.0 or coordinate.joint.damping[coordinate.k] != 0.0
    ]
