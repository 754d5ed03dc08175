"""Forces of loops on the bodies that they join, from their multipliers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.constraints.loop import closure_at, loop_frames
from treadle.dynamics.kinematics import world_transforms
from treadle.graph import Expr, Scalar, evaluate, forward, trace
from treadle.joints.joint import Slip
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Mat3, Transform, Vec3

__all__ = ["body_forces", "loop_forces"]


def loop_forces(
    model: Model,
    q: Sequence[Scalar],
    multipliers: Sequence[Scalar],
    own: Mapping[tuple[str, int], Scalar] | None = None,
) -> list[Force]:
    """Force of every loop on its successor: (moment about the joint's origin there, force), world axes.

    The power of the multipliers is that of the forces on any motion, lambda . dc/dt = f . v_S, so that
    f = sum of lambda_i dc_i / dx_S by the six motions x_S of the joint's frame in the successor. The
    predecessor gets the opposite at the same point. `multipliers` are those of all residuals, in order; `own`
    are forces of springs, stops, friction and ropes on coordinates of loop joints, by loop and dof.
    """
    X = world_transforms(model, q)
    forces = []
    start = 0
    for loop in model.loops:
        meeting, P, S = loop_frames(model, q, loop)
        slopes = _slopes(
            lambda P, S, loop=loop: [c for part in closure_at(model, loop, P, S) for c in part], P, S
        )
        slopes += [] if loop.type is None else _slip_slopes(loop.type.slips(P, S), S)
        total = Force.zero()
        for multiplier, slope in zip(multipliers[start : start + len(slopes)], slopes, strict=True):
            total = total + slope * multiplier
        start += len(slopes)
        pulls = {k: pull for (name, k), pull in (own or {}).items() if name == loop.name}
        if pulls and loop.type is not None:
            measured = _slopes(loop.type.coordinates, P, S)
            for k, pull in pulls.items():
                total = total + measured[k] * pull
        if meeting != WORLD:
            R = X[meeting].rotation
            total = Force(R.apply(total.angular), R.apply(total.linear))
        forces.append(total)
    return forces


def body_forces(model: Model, q: Sequence[Scalar], forces: Sequence[Force]) -> dict[int, Force]:
    """What the loops' forces (as `loop_forces` gives them) do to every body, in the body's frame."""
    X = world_transforms(model, q)
    total: dict[int, Force] = {}
    for loop, force in zip(model.loops, forces, strict=True):
        point = (X[loop.successor] @ loop.successor_placement).translation
        moved = Force(force.angular + point.cross(force.linear), force.linear)
        for body, share in ((loop.successor, moved), (loop.predecessor, -moved)):
            if body != WORLD:
                own = X[body].force_to_child(share)
                total[body] = total[body] + own if body in total else own
    return total


def _slopes(
    values_at: Callable[[Transform, Transform], list[Scalar]], P: Transform, S: Transform
) -> list[Force]:
    """dc/dx_S of values c(P, S): by turns about the axes in the origin of S, and by shifts along them."""

    def slopes(values: list) -> list[Scalar]:
        frames = [_transform(values[:12]), _transform(values[12:])]
        R = frames[1].rotation.to_rows()
        seeds: dict[Expr, dict[int, Scalar]] = {x: {3 + k: 1.0} for k, x in enumerate(values[21:])}
        # a turn w takes the rotation R at the rate w x R, column by column
        for row, (second, third) in enumerate(((1, 2), (2, 0), (0, 1))):
            for column in range(3):
                seeds[values[12 + 3 * row + column]] = {second: R[third][column], third: -R[second][column]}
        return [x for slope in forward(values_at(*frames), seeds, 6) for x in slope]

    graph, outputs = trace(slopes, 24)
    values = evaluate(graph, outputs, [*P.to_list(), *S.to_list()])
    return [Force.of(values[k : k + 6]) for k in range(0, len(values), 6)]


def _slip_slopes(slips: Sequence[Slip], S: Transform) -> list[Force]:
    """The same for velocities that are prevented: a unit force at the point of contact."""
    return [Force((slip.point - S.translation).cross(slip.direction), slip.direction) for slip in slips]


def _transform(values: Sequence[Scalar]) -> Transform:
    return Transform(Mat3.of([values[0:3], values[3:6], values[6:9]]), Vec3(*values[9:12]))
