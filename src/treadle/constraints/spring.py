"""Springs and dampers of joints that close loops, and of tendons, on their own coordinate.

    F = -k (x - reference) - d dx/dt

The spring of a tendon is slack between the two ends of its reference.

Methods that kick and drift take them at the end of the step, as soft rows: no spring is too stiff for them.
The others take them as joint forces.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.bounded import ANY, BoundedRow, soft
from treadle.constraints.coordinates import Coordinate, loop_coordinates, tendon_coordinates
from treadle.graph import Scalar, clip
from treadle.model.model import Model
from treadle.model.tendons import Tendon

__all__ = ["spring_force", "spring_pulls", "spring_rows"]


def spring_rows(model: Model, q: Sequence[Scalar], dt: Scalar) -> list[BoundedRow]:
    """A soft row for every degree of freedom of a loop joint, and every tendon, with a spring or damper."""
    rows = []
    for coordinate in _sprung(model, q):
        joint, k = coordinate.joint, coordinate.k
        if (
            isinstance(joint, Tendon)
            and joint.stiffness[0] != 0.0
            and joint.reference[0] != joint.reference[1]
        ):
            rows += _slack_rows(coordinate, joint, dt)
            continue
        softness, share = soft(joint.stiffness[k], joint.damping[k], dt)
        speed: Scalar = 0.0
        if joint.stiffness[k] != 0.0 and coordinate.position is not None:
            speed = share * (_rest(coordinate) - coordinate.position) / dt
        rows.append(BoundedRow(coordinate.jacobian, speed, speed, -ANY, ANY, True, softness, coordinate.loop))
    return rows


def _slack_rows(coordinate: Coordinate, tendon: Tendon, dt: Scalar) -> list[BoundedRow]:
    """A spring that is slack in a range of lengths, and its damper, which is not."""
    position, (low, high) = coordinate.position, tendon.reference
    assert position is not None
    ends = (low - position) / dt, (high - position) / dt
    rows = [BoundedRow(coordinate.jacobian, *ends, -ANY, ANY, True, soft(tendon.stiffness[0], 0.0, dt)[0])]
    if tendon.damping[0] != 0.0:
        softness = soft(0.0, tendon.damping[0], dt)[0]
        rows.append(BoundedRow(coordinate.jacobian, 0.0, 0.0, -ANY, ANY, True, softness))
    return rows


def spring_force(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Joint forces (nv) that they amount to."""
    force: list[Scalar] = [0.0] * model.nv
    for coordinate, pull in spring_pulls(model, q, v):
        for i, x in coordinate.jacobian.items():
            force[i] = force[i] + x * pull
    return force


def spring_pulls(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[tuple[Coordinate, Scalar]]:
    """Every coordinate of a loop joint or tendon with a spring or damper, and the force on it."""
    pulls = []
    for coordinate in _sprung(model, q):
        joint, k = coordinate.joint, coordinate.k
        pull = -(joint.damping[k] * coordinate.rate(v))
        if joint.stiffness[k] != 0.0 and coordinate.position is not None:
            pull = pull - joint.stiffness[k] * (coordinate.position - _rest(coordinate))
        pulls.append((coordinate, pull))
    return pulls


def _rest(coordinate: Coordinate) -> Scalar:
    """Where the spring is at rest, next to the position where it is slack in a range."""
    joint, position = coordinate.joint, coordinate.position
    assert position is not None
    if not isinstance(joint, Tendon):
        return joint.reference[coordinate.k]
    low, high = joint.reference
    return low if low == high else clip(position, low, high)


def _sprung(model: Model, q: Sequence[Scalar]) -> list[Coordinate]:
    loops = [loop for loop in model.loops if any((*loop.stiffness, *loop.damping))]
    tendons = tendon_coordinates(model, q, [tendon for tendon in model.tendons if tendon.sprung])
    return [
        coordinate
        for coordinate in (*loop_coordinates(model, q, loops), *tendons)
        if coordinate.joint.stiffness[coordinate.k] != 0.0 or coordinate.joint.damping[coordinate.k] != 0.0
    ]
