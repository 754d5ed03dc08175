"""One iteration of inverse kinematics as a compiled program: a step of Levenberg and Marquardt within limits.

    dq = (J^T J + (c E + w) I)^-1 J^T e,    E = |e|^2 / 2

with the error e of the frame and of the loops, and the damping of Sugihara (2011, "Solvability-unconcerned
inverse kinematics by the Levenberg-Marquardt method"), which falls with the error. A joint at a limit that
the step would leave is held: its column is zero in this iteration. One that may turn all around goes on at
its other limit instead, where its body is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.constraints.rows import closure_rows
from treadle.dynamics.cholesky import factor, solve
from treadle.dynamics.jacobian import frame_jacobian
from treadle.dynamics.kinematics import world_transforms
from treadle.graph import Scalar, atan2, clip, maximum, minimum, sqrt, where
from treadle.model.model import WORLD, Frame, Model, ModelJoint
from treadle.native.program import Program
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["TASKS", "StepSettings", "ik_program", "pose_program"]

#: What of a pose is to be reached: all of it, the origin, or the origin and the direction of the z axis.
TASKS = ("pose", "position", "axis")

#: The damping's share of the squared error, and what is left of it at the solution.
_DAMPING, _LEAST_DAMPING = 0.1, 1e-9

#: What a joint moves by in one iteration at most (rad or m).
_LONGEST = 1.0

#: Share of the way to the rest position that one iteration goes in the null space of the task.
_REST_GAIN = 0.2


@dataclass(frozen=True)
class StepSettings:
    """What a program of inverse kinematics is made for.

    `length` (m) makes angles comparable with lengths, `position` (m) and `angle` (rad) are the errors at
    which a column stops; `rest` adds motions in the null space of the task towards a rest position.
    """

    task: str
    length: float
    position: float
    angle: float
    rest: bool = False


def ik_program(model: Model, frame: Frame, settings: StepSettings) -> Program:
    """Inputs q (nq), target (12: rotation by rows, origin) and rest (nq); outputs next_q and errors (3).

    The errors are those of q: distance (m), angle (rad), and the largest gap of a loop (m or rad).
    """
    number = model.frames.index(frame)
    inputs = {"q": model.nq, "target": 12}
    if settings.rest:
        inputs["rest"] = model.nq

    def step(
        q: Sequence[Scalar], target: Sequence[Scalar], rest: Sequence[Scalar] | None = None
    ) -> dict[str, list[Scalar]]:
        return _step(model, frame, settings, q, target, rest)

    digest = f"inverse kinematics {model.digest} {number} {settings}"
    return Program(digest, inputs, step, carry={"next_q": "q"})


def pose_program(model: Model, frame: Frame) -> Program:
    """Input q (nq), output pose (12: rotation by rows, origin)."""
    digest = f"pose {model.digest} {model.frames.index(frame)}"
    return Program(digest, {"q": model.nq}, lambda q: {"pose": _pose(model, frame, q).to_list()})


def _step(
    model: Model,
    frame: Frame,
    settings: StepSettings,
    q: Sequence[Scalar],
    target: Sequence[Scalar],
    rest: Sequence[Scalar] | None,
) -> dict[str, list[Scalar]]:
    pose, goal = _pose(model, frame, q), Transform(Mat3.of(_rows(target[:9])), Vec3(*target[9:]))
    error, J, distance, angle = _task(model, frame, settings, q, pose, goal)
    gaps, gap_rows = _loops(model, q)
    e, rows = [*error, *gaps], [*J, *gap_rows]
    open_by: Scalar = 0.0
    for gap in gaps:
        open_by = maximum(open_by, maximum(gap, -gap))
    delta = _damped_step(model, q, e, rows, settings.rest)
    if rest is not None:
        delta = [a + b for a, b in zip(delta, _null_motion(model, q, rows, rest), strict=True)]
        solved = None
    else:
        solved = (distance <= settings.position) & (angle <= settings.angle) & (open_by <= settings.position)
    moved = _moved(model, q, delta)
    if solved is not None:
        moved = [where(solved, old, new) for old, new in zip(q, moved, strict=True)]
    return {"next_q": moved, "errors": [distance, angle, open_by]}


def _pose(model: Model, frame: Frame, q: Sequence[Scalar]) -> Transform:
    if frame.body == WORLD:
        return frame.placement
    return world_transforms(model, q)[frame.body] @ frame.placement


def _rows(values: Sequence[Scalar]) -> list[list[Scalar]]:
    return [list(values[k : k + 3]) for k in (0, 3, 6)]


def _task(
    model: Model,
    frame: Frame,
    settings: StepSettings,
    q: Sequence[Scalar],
    pose: Transform,
    goal: Transform,
) -> tuple[list[Scalar], list[list[Scalar]], Scalar, Scalar]:
    """Error and Jacobian rows of the task, both in m, the distance (m) and the angle (rad) that are left."""
    jacobian = frame_jacobian(model, q, frame)
    way = goal.translation - pose.translation
    distance = sqrt(way.dot(way))
    if settings.task == "position":
        return list(way), jacobian[3:], distance, 0.0
    turn, angle = _turn(pose.rotation, goal.rotation, settings.task)
    angular = [[settings.length * x for x in row] for row in jacobian[:3]]
    error: list[Scalar] = [settings.length * x for x in turn]
    if settings.task == "axis":
        # in axes of the frame, without the turn about its own z axis
        error, angular = error[:2], _in_frame(pose.rotation, angular)[:2]
    return [*error, *way], [*angular, *jacobian[3:]], distance, angle


def _turn(now: Mat3, goal: Mat3, task: str) -> tuple[list[Scalar], Scalar]:
    """The rotation vector (rad) that is left, in world axes or for "axis" in those of the frame.

    It points along s = sum of a_i x b_i / 2 over the axes of both, |s| is the angle's sine.
    """
    a, b = now.T.to_rows(), goal.T.to_rows()
    if task == "axis":
        z = Vec3(*a[2])
        s, cosine = now.apply_transposed(z.cross(Vec3(*b[2]))), z.dot(Vec3(*b[2]))
    else:
        total, trace = Vec3(0.0, 0.0, 0.0), 0.0
        for x, y in zip(a, b, strict=True):
            total = total + Vec3(*x).cross(Vec3(*y))
            trace = trace + Vec3(*x).dot(Vec3(*y))
        s, cosine = total * 0.5, 0.5 * (trace - 1.0)
    sine = sqrt(s.dot(s))
    angle = atan2(sine, cosine)
    scale = where(sine > 1e-12, angle / maximum(sine, 1e-12), 1.0)
    return [x * scale for x in s], angle


def _in_frame(rotation: Mat3, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    columns = [rotation.apply_transposed(Vec3(*column)) for column in zip(*rows, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _loops(model: Model, q: Sequence[Scalar]) -> tuple[list[Scalar], list[list[Scalar]]]:
    """What the loops are open by, as errors, and their Jacobian rows."""
    if not model.closed:
        return [], []
    rows = closure_rows(model, q)  # type: ignore[arg-type]
    return [-row.residual for row in rows], [
        [row.jacobian.get(k, 0.0) for k in range(model.nv)] for row in rows
    ]


def _damped_step(
    model: Model, q: Sequence[Scalar], e: Sequence[Scalar], J: Sequence[Sequence[Scalar]], plain: bool
) -> list[Scalar]:
    """The step; `plain`: with the least damping."""
    n = model.nv
    half: Scalar = 0.0
    for x in e:
        half = half + 0.5 * x * x
    damping = _LEAST_DAMPING if plain else _DAMPING * half + _LEAST_DAMPING
    gradient = _transposed_times(J, e, n)
    free = _free(model, q, gradient)
    columns = [k for k in range(n) if any(not _zero(row[k]) for row in J)]
    M = [[_normal(J, free, i, j) for j in columns] for i in columns]
    for k in range(len(columns)):
        M[k][k] = M[k][k] + damping
    L, inverse_diagonal = factor(M, list(range(-1, len(columns) - 1)))
    found = solve(L, inverse_diagonal, [free[k] * gradient[k] for k in columns])
    delta: list[Scalar] = [0.0] * n
    for k, x in zip(columns, found, strict=True):
        delta[k] = clip(x, -_LONGEST, _LONGEST)
    return delta


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0


def _transposed_times(J: Sequence[Sequence[Scalar]], e: Sequence[Scalar], n: int) -> list[Scalar]:
    total: list[Scalar] = [0.0] * n
    for row, x in zip(J, e, strict=True):
        total = [t + a * x for t, a in zip(total, row, strict=True)]
    return total


def _normal(J: Sequence[Sequence[Scalar]], free: Sequence[Scalar], i: int, j: int) -> Scalar:
    total: Scalar = 0.0
    for row in J:
        total = total + row[i] * row[j]
    return total * free[i] * free[j] if i != j else total * free[i]


def _free(model: Model, q: Sequence[Scalar], gradient: Sequence[Scalar]) -> list[Scalar]:
    """1 for every velocity, or 0 where its joint is at a limit that the gradient leaves."""
    free: list[Scalar] = [1.0] * model.nv
    for joint in model.joints:
        if _limited(joint) and not _turns(joint):
            k, x = joint.v.start, q[joint.q.start]
            below = (x <= joint.lower[0]) & (gradient[k] < 0.0)
            above = (x >= joint.upper[0]) & (gradient[k] > 0.0)
            free[k] = where(below | above, 0.0, 1.0)
    return free


def _limited(joint: ModelJoint) -> bool:
    """Whether it is a joint of one degree of freedom with a limit."""
    return joint.type.nq == 1 and bool(joint.lower) and min(joint.upper[0], -joint.lower[0]) < math.inf


def _turns(joint: ModelJoint) -> bool:
    """Whether its limits are a whole turn apart, or more."""
    return joint.type.position_units == ("rad",) and joint.upper[0] - joint.lower[0] >= 2.0 * math.pi - 1e-6


def _null_motion(
    model: Model, q: Sequence[Scalar], J: Sequence[Sequence[Scalar]], rest: Sequence[Scalar]
) -> list[Scalar]:
    """A part of the way to the rest position, in the null space of the task: (I - J^+ J) w."""
    way: list[Scalar] = []
    for joint in model.joints:
        way += joint.type.difference(q[joint.q], rest[joint.q])
    way = [_REST_GAIN * x for x in way]
    moved = [_dot(row, way) for row in J]
    back = _damped_step(model, q, moved, J, True)
    return [a - b for a, b in zip(way, back, strict=True)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def _moved(model: Model, q: Sequence[Scalar], delta: Sequence[Scalar]) -> list[Scalar]:
    moved: list[Scalar] = []
    for joint in model.joints:
        part = joint.type.integrate(q[joint.q], delta[joint.v])
        if _limited(joint) and _turns(joint):
            part = [_around(part[0], joint.lower[0], joint.upper[0])]
        if _limited(joint):
            part = [maximum(joint.lower[0], minimum(joint.upper[0], part[0]))]
        moved += part
    return moved


def _around(x: Scalar, lower: float, upper: float) -> Scalar:
    """The same angle a turn back, or ahead, where it is beyond a limit."""
    turn = 2.0 * math.pi
    return where(x > upper, x - turn, where(x < lower, x + turn, x))
