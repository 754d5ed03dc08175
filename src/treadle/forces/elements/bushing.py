"""Bushing: an elastic bearing with a 6 x 6 stiffness and damping in the axes of its first frame.

With the displacement d and the turn R of the second frame in the first, c = (theta, d) and the energy is
1/2 c^T K c. The turn enters by theta = (R32 - R23, R13 - R31, R21 - R12) / 2, the sines of small turns, whose
energy has no cusp; a bushing is meant for turns well below a quarter turn. Dampers act on the velocity of the
second frame relative to the first, D (w, v).
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.element import ForceElement, Linear, Matrix6, pair_wrenches, relative_motion
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar
from treadle.spatial import Force, Mat3, Motion, Vec3

__all__ = ["Bushing"]


class Bushing(ForceElement):
    """Elastic bearing between two frames."""

    relative = True
    stiffness: Matrix6
    damping: Matrix6

    def energy(self, *frames: FrameMotion) -> Scalar:
        c = _coordinates(*frames)
        return 0.5 * _dot(c, _times(self.stiffness, c))

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        first = frames[0].rotation
        g = _times(self.stiffness, _coordinates(*frames))
        # for a turn w of the second frame, in the axes of the first, theta changes by (tr(R) 1 - R) w / 2
        R = _turn(*frames)
        trace = R.rows[0].x + R.rows[1].y + R.rows[2].z
        by_turn = Vec3(*g[:3])
        moment = (by_turn * trace - R.apply_transposed(by_turn)) * 0.5
        wrench = Force(-first.apply(moment), -first.apply(Vec3(*g[3:])))
        return pair_wrenches(frames, wrench)

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        first = frames[0].rotation
        rate = relative_motion(frames)
        seen = [*first.apply_transposed(rate.angular), *first.apply_transposed(rate.linear)]
        drag = _times(self.damping, seen)
        wrench = Force(-first.apply(Vec3(*drag[:3])), -first.apply(Vec3(*drag[3:])))
        return pair_wrenches(frames, wrench)

    def linear(self, *frames: FrameMotion) -> Linear | None:
        first = frames[0].rotation
        stiffness = _by_turns(self.stiffness, _turn(*frames))
        return Linear(_turned(stiffness, first), _turned(self.damping, first))


def _turn(first: FrameMotion, second: FrameMotion) -> Mat3:
    return first.rotation.T @ second.rotation


def _coordinates(first: FrameMotion, second: FrameMotion) -> list[Scalar]:
    x, y, z = _turn(first, second).rows
    turned = [0.5 * (z.y - y.z), 0.5 * (x.z - z.x), 0.5 * (y.x - x.y)]
    return [*turned, *first.rotation.apply_transposed(second.position - first.position)]


def _by_turns(matrix: Matrix6, R: Mat3) -> list[list[Scalar]]:
    """G^T K G with the derivative G of theta and d by turns and shifts: K itself where nothing is turned."""
    rows = [list(row) for row in R.rows]
    trace = rows[0][0] + rows[1][1] + rows[2][2]
    G = [[0.5 * ((trace if i == j else 0.0) - rows[i][j]) for j in range(3)] for i in range(3)]
    half = [[*(_dot(row[:3], [g[j] for g in G]) for j in range(3)), *row[3:]] for row in matrix]
    top = [[_dot([g[i] for g in G], [row[j] for row in half[:3]]) for j in range(6)] for i in range(3)]
    return [*top, *half[3:]]


def _turned(matrix: Matrix6, R: Mat3) -> list[list[Scalar]]:
    """A matrix given in the first frame, in the axes of the base."""
    result: list[list[Scalar]] = [[0.0] * 6 for _ in range(6)]
    for k in range(6):
        unit = [1.0 if i == k else 0.0 for i in range(6)]
        m = Motion.of(unit)
        seen = [*R.apply_transposed(m.angular), *R.apply_transposed(m.linear)]
        column = _times(matrix, seen)
        turned = [*R.apply(Vec3(*column[:3])), *R.apply(Vec3(*column[3:]))]
        for i, x in enumerate(turned):
            result[i][k] = x
    return result


def _times(matrix: Matrix6, c: Sequence[Scalar]) -> list[Scalar]:
    return [_dot(row, c) for row in matrix]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True) if not _zero(x)), 0.0)


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
