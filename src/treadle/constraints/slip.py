"""Rolling without slipping: rows J(q) v = 0 that no function of the position integrates (nonholonomic).

    d . (v_S(x) - v_P(x)) = 0

x is the point of contact, d a direction along the plane, and the velocities are those of the material
points of successor and predecessor there.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.loop import loop_frames
from treadle.dynamics.derivatives import tangent_seeds
from treadle.graph import Expr, Scalar, forward
from treadle.model.attachments import Loop
from treadle.model.model import Model
from treadle.spatial import Transform, Vec3

__all__ = ["slip_count", "slip_jacobians"]


def slip_count(loop: Loop) -> int:
    """How many of its rows prescribe a velocity alone."""
    return 0 if loop.type is None else loop.type.slip_count


def slip_jacobians(model: Model, q: Sequence[Expr], loop: Loop) -> list[dict[int, Scalar]]:
    """J of the rows of rolling of one loop, by degree of freedom, zeros left out."""
    if loop.type is None or not loop.type.slip_count:
        return []
    _, P, S = loop_frames(model, q, loop)
    seeds = tangent_seeds(model, q)
    moves = [forward(frame.to_list(), seeds, model.nv) for frame in (P, S)]
    rows = []
    for slip in loop.type.slips(P, S):
        row: dict[int, Scalar] = {}
        for k in range(model.nv):
            speed: Scalar = 0.0
            for sign, frame, slopes in ((-1.0, P, moves[0]), (1.0, S, moves[1])):
                for weight, value in zip(_weights(slip.direction, frame, slip.point), slopes, strict=True):
                    if not _zero(value[k]) and not _zero(weight):
                        speed = speed + sign * (weight * value[k])
            if not _zero(speed):
                row[k] = speed
        rows.append(row)
    return rows


def _weights(direction: Vec3, frame: Transform, point: Vec3) -> list[Scalar]:
    """What a unit change of every entry of a frame (rotation by rows, translation) moves a material point."""
    local = frame.rotation.apply_transposed(point - frame.translation)
    return [*[d * x for d in direction for x in local], *direction]


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
