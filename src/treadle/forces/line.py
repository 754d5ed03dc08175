"""Force elements along the line between two points with few degrees of freedom between them.

They are joint forces, tension times dl/dq, which takes a third of the arithmetic of loads on two bodies.
Those with the same joints between their ends are computed side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from treadle.dynamics.kinematics import joint_transform
from treadle.forces.element import NEAREST, BoundElement, elements_of, is_line
from treadle.graph import Expr, Scalar, maximum, side_by_side, sqrt
from treadle.model.identical_subtrees import identical_subtrees
from treadle.model.model import Model
from treadle.spatial import Mat3, Motion, Transform, Vec3

__all__ = ["line_forces"]


def line_forces(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    springs: bool = True,
    implicit: bool | None = None,
) -> dict[int, Scalar]:
    """Joint forces of elements along a line with few degrees of freedom between their frames, by dof."""
    places = identical_subtrees(model)
    alone: list[tuple[_Line, Sequence[Scalar]]] = []
    many: list[_Line] = []
    for bound in elements_of(model, q, v, implicit):
        if is_line(model, bound):
            line = _Line(model, q, v, bound, springs)
            # inside one limb it is computed with its twins in the others
            inside = {places[index] for index in line.bodies}
            if line.lifted or (len(inside) == 1 and None not in inside):
                alone.append((line, line.forces(line.arguments)))
            else:
                many.append(line)
    together = side_by_side([(line.forces, line.arguments) for line in many])
    total: dict[int, Scalar] = {}
    for line, forces in [*alone, *zip(many, together, strict=True)]:
        for k, force in zip(line.dofs, forces, strict=True):
            total[k] = total[k] + force if k in total else force
    return total


class _Line:
    """An element along a line as a function of the joints between its ends.

    Its arguments are, per joint: rotation and translation of the body in its parent, the subspace and the
    velocities.
    """

    def __init__(
        self, model: Model, q: Sequence[Scalar], v: Sequence[Scalar], bound: BoundElement, springs: bool
    ) -> None:
        self.springs = springs
        #: whether some of its parameters differ between worlds
        self.lifted = any(isinstance(x, Expr) for x in bound.record.parameters.values())
        self.law, self.points = bound.law, [X.translation for X in bound.record.placements]
        self.chains = [[index for index, _ in frame.chain] for frame in bound.frames]
        self.arguments: list[Scalar] = []
        self.dofs: list[int] = []
        self._sizes: dict[int, int] = {}
        for index in self.bodies:
            joint = model.bodies[index].joint
            subspace = joint.type.subspace(q[joint.q])
            self._sizes[index] = len(subspace)
            self.dofs += range(joint.v.start, joint.v.stop)
            self.arguments += joint_transform(model.bodies[index], q).to_list()
            self.arguments += [x for S in subspace for x in S]
            self.arguments += v[joint.v]

    @property
    def bodies(self) -> list[int]:
        """Those that the joints between its ends move."""
        return [*self.chains[0], *self.chains[1]]

    def forces(self, given: Sequence[Scalar]) -> list[Scalar]:
        """Joint forces by place in `dofs`: the tension times dl/dq."""
        r, arms, rates = self._line(given)
        l = sqrt(maximum(r.dot(r), NEAREST))
        over = 1.0 / l
        rate = over * sum((arm * x for arm, x in zip(arms, rates, strict=True)), 0.0)
        tension = self.law.tension(l, rate, self.springs)
        assert tension is not None
        pull = -(tension * over)
        return [arm * pull for arm in arms]

    def _line(self, given: Sequence[Scalar]) -> tuple[Vec3, list[Scalar], list[Scalar]]:
        """Between the points, in the axes of a body between them, and l dl/dq and v by dof.

        Both points are carried into the frame of every body between them: there a joint with the subspace
        (w, u) that moves the point p, with the other point o, changes l by w . (o x p) + u . (p - o).
        """
        joints = self._joints(given)
        points, carried = list(self.points), {}
        for side, chain in enumerate(self.chains):
            for index in reversed(chain):
                carried[index] = points[side]
                points[side] = joints[index].X.apply_point(points[side])
        arms, rates = [], []
        r = points[1] - points[0]
        for side, chain in enumerate(self.chains):
            other = points[1 - side]
            for index in chain:
                X, subspace, v = joints[index]
                other = X.rotation.apply_transposed(other - X.translation)
                own = carried[index]
                # in the last body, where one of the points need not be carried
                r = own - other
                for S in subspace:
                    arms.append(S.angular.dot(other.cross(own)) + S.linear.dot(own - other))
                rates += v
        return r, arms, rates

    def _joints(self, given: Sequence[Scalar]) -> dict[int, _LineJoint]:
        found: dict[int, _LineJoint] = {}
        values = iter(given)
        for index, n in self._sizes.items():
            X = _transform(list(islice(values, 12)))
            subspace = [Motion.of(list(islice(values, 6))) for _ in range(n)]
            found[index] = _LineJoint(X, subspace, list(islice(values, n)))
        return found


class _LineJoint(NamedTuple):
    """A joint between the ends of an element."""

    X: Transform
    subspace: list[Motion]
    v: list[Scalar]


def _transform(values: Sequence[Scalar]) -> Transform:
    return Transform(Mat3.of([values[0:3], values[3:6], values[6:9]]), Vec3(*values[9:]))
