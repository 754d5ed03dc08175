"""Inverse kinematics: joint positions at which a frame has given poses, for many poses and starts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.model import Frame, Model
from treadle.model.values import real_array, real_numbers
from treadle.native.executable import Executable
from treadle.native.program import compile_program, default_lanes
from treadle.planning.ik_step import TASKS, StepSettings, ik_program, pose_program

__all__ = ["InverseKinematics", "inverse_kinematics", "random_poses"]

#: Iterations between two looks at which columns are done, and those of the motion to the rest position.
_BLOCK, _REST_ITERATIONS = 8, 60

#: A column whose error is more than this share of that one block before is stuck, and moves by a share of
#: the way to a random position.
_STUCK, _KICK = 0.7, 0.7

#: Random positions of which the nearest ones are starts.
_POOL = 512

#: Spans of joints without limits, from which starts are drawn (rad, m).
_SPANS = {"rad": np.pi, "m": 1.0}


@dataclass(frozen=True)
class InverseKinematics:
    """Solutions of inverse kinematics, one row per pose; for a single pose without that axis.

    `q` (nq) are the positions with the least error found, `solved` whether they are within the tolerances,
    `distance` (m), `angle` (rad) and `gap` (of a loop, m or rad) the errors, `start` the number of the start
    that led there, `iterations` those of all its starts.
    """

    q: np.ndarray
    solved: np.ndarray
    distance: np.ndarray
    angle: np.ndarray
    gap: np.ndarray
    start: np.ndarray
    iterations: np.ndarray

    def __bool__(self) -> bool:
        """Whether all poses are solved."""
        return bool(np.all(self.solved))


def inverse_kinematics(
    model: Model,
    frame: str,
    poses: ArrayLike,
    q0: ArrayLike | None = None,
    *,
    task: str = "pose",
    starts: int = 8,
    rest: ArrayLike | None = None,
    nearest: bool = False,
    tolerance: tuple[float, float] = (1e-6, 1e-6),
    iterations: int = 128,
    seed: int = 0,
) -> InverseKinematics:
    """Joint positions within their limits at which a link or frame has the poses (4 x 4 matrices, X_WF).

    `task` is "pose", "position" (of the origin alone) or "axis" (origin and direction of z, any turn about
    it). The first start is q0, one for all poses or one per pose (the model's initial position unless given);
    the others are those of a random set within the limits that come nearest to the pose, and are used for
    poses that are not solved yet. A start has at most so many `iterations`; where it gets stuck it is kicked
    towards a random position. With `nearest` all starts are used, and the solution nearest to q0 is returned.
    A machine with more degrees of freedom than the task needs moves in the null space of the task towards
    `rest`. Loops are closed. The tolerances are in m (also for loops) and rad.
    """
    found = model.frame(frame)
    targets, single = _targets(poses)
    first = _first(model, q0, len(targets))
    _check(task, starts, iterations, tolerance)
    settings = StepSettings(task, _length(model), float(tolerance[0]), float(tolerance[1]))
    search = _Search(model, found, settings, targets, iterations, seed)
    near = first if nearest else None
    search.run(np.arange(len(targets)), first, 0, near)
    begins = np.empty((0, 0, model.nq))
    pending = np.arange(len(targets)) if nearest else np.flatnonzero(~search.solved)
    if starts > 1 and len(pending):
        begins = _Starts(model, found, settings.length, starts - 1, seed).of(targets[pending])
    for start in range(1, starts if len(pending) else 1):
        if not nearest:
            left = ~search.solved[pending]
            pending, begins = pending[left], begins[left]
        search.run(pending, begins[:, start - 1], start, near)
    if rest is not None:
        search.rest(_first(model, rest, len(targets)))
    result = search.result()
    if not single:
        return result
    return InverseKinematics(*(getattr(result, field.name)[0] for field in fields(result)))


def random_poses(model: Model, frame: str, count: int, seed: int = 0) -> np.ndarray:
    """Poses (count, 4, 4) of a link or frame at random positions within the limits."""
    found = model.frame(frame)
    q = _random(model, np.random.default_rng(seed), count)
    values = _evaluated(compile_program(pose_program(model, found), default_lanes()), q)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = values[:, :9].reshape(-1, 3, 3), values[:, 9:]
    return poses


class _Search:
    """The best found so far of every pose."""

    def __init__(
        self, model: Model, frame: Frame, settings: StepSettings, targets: np.ndarray, limit: int, seed: int
    ) -> None:
        count = len(targets)
        self._model, self._frame, self._settings = model, frame, settings
        self._targets, self._limit = targets, limit
        self._program = compile_program(ik_program(model, frame, settings), default_lanes())
        self._draw = np.random.default_rng([seed, 1])
        self._q = np.zeros((count, model.nq))
        self._errors = np.full((count, 3), np.inf)
        self._start, self._iterations = np.full(count, -1), np.zeros(count, dtype=int)
        self._far = np.full(count, np.inf)
        self.solved = np.zeros(count, dtype=bool)

    def run(self, pending: np.ndarray, q: np.ndarray, start: int, near: np.ndarray | None) -> None:
        """Iterate from q (poses, nq) for the pending poses; keep what is better, or nearer to `near`."""
        q, errors = self._iterate(pending, q)
        solves = self._solves(errors)
        far = np.zeros(len(q)) if near is None else np.abs(_difference(self._model, near[pending], q)).max(1)
        before = self.solved[pending]
        nearer, closer = far < self._far[pending], _merit(errors) < _merit(self._errors[pending])
        better = np.where(solves, ~before | nearer, ~before & closer)
        kept = pending[better]
        self._q[kept], self._errors[kept], self._start[kept] = q[better], errors[better], start
        self.solved[kept], self._far[kept] = solves[better], far[better]

    def rest(self, rest: np.ndarray) -> None:
        """Move solved poses in the null space of the task towards a rest position (poses, nq)."""
        solved = np.flatnonzero(self.solved)
        program = compile_program(
            ik_program(self._model, self._frame, replace(self._settings, rest=True)), default_lanes()
        )
        moved, _ = _advance(program, self._q[solved], self._targets[solved], _REST_ITERATIONS, rest[solved])
        # what the last motions left open is closed
        q, errors = self._iterate(solved, moved)
        still = self._solves(errors)
        self._q[solved[still]], self._errors[solved[still]] = q[still], errors[still]

    def result(self) -> InverseKinematics:
        """What was found."""
        distance, angle, gap = self._errors.T
        return InverseKinematics(
            q=self._q, solved=self.solved, distance=distance, angle=angle, gap=gap, start=self._start,
            iterations=self._iterations,
        )  # fmt: skip

    def _iterate(self, pending: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and errors, the least on the way; columns that are done leave the batch."""
        targets, now, errors = self._targets[pending], q.copy(), np.full((len(q), 3), np.inf)
        active, last = np.arange(len(q)), np.full(len(q), np.inf)
        best, best_errors = q.copy(), np.full((len(q), 3), np.inf)
        taken = 0
        while len(active) and taken < self._limit:
            block = min(_BLOCK, self._limit - taken)
            now[active], errors[active] = _advance(self._program, now[active], targets[active], block)
            taken += block
            self._iterations[pending[active]] += block
            # the errors are those before the last iteration of the block, which solved columns do not take
            merit = _merit(errors[active])
            better = active[merit < _merit(best_errors[active])]
            best[better], best_errors[better] = now[better], errors[better]
            stuck = active[merit > _STUCK * last[active]]
            last[active] = merit
            now[stuck] = _kicked(self._model, now[stuck], self._draw)
            last[stuck] = np.inf
            active = active[~self._solves(errors[active])]
        if len(active):
            best_errors[active] = _advance(self._program, best[active], targets[active], 1)[1]
        return best, best_errors

    def _solves(self, errors: np.ndarray) -> np.ndarray:
        limits = self._settings.position, self._settings.angle, self._settings.position
        return np.all(errors <= np.array(limits), axis=1)


class _Starts:
    """Random positions within the limits, and of them those whose poses are nearest to a target.

    The distance of two poses is that of their origins, and of the tips of axes of a length (m).
    """

    def __init__(self, model: Model, frame: Frame, length: float, count: int, seed: int) -> None:
        self._q = _random(model, np.random.default_rng(seed), max(_POOL, count))
        program = compile_program(pose_program(model, frame), default_lanes())
        poses = _evaluated(program, self._q)
        self._scale = np.array([length] * 9 + [1.0] * 3)
        self._poses, self._count = poses * self._scale, count
        self._squares = (self._poses**2).sum(axis=1)

    def of(self, targets: np.ndarray) -> np.ndarray:
        """The nearest ones to every target (targets, count, nq), the nearest first."""
        chosen = np.empty((len(targets), self._count), dtype=int)
        for begin in range(0, len(targets), 1024):
            part = targets[begin : begin + 1024] * self._scale
            # up to a number that is the same for one target
            far = self._squares - 2.0 * part @ self._poses.T
            near = np.argpartition(far, self._count - 1, axis=1)[:, : self._count]
            order = np.argsort(np.take_along_axis(far, near, axis=1), axis=1)
            chosen[begin : begin + 1024] = np.take_along_axis(near, order, axis=1)
        return self._q[chosen]


def _merit(errors: np.ndarray) -> np.ndarray:
    return errors.sum(axis=1)


def _advance(
    program: Executable, q: np.ndarray, targets: np.ndarray, steps: int, rest: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions after so many iterations, and the errors before the last one."""
    count, lanes = len(q), program.lanes
    room = -(-count // lanes) * lanes
    arrays = {"q": _columns(q, room), "target": _columns(targets, room)}
    if rest is not None:
        arrays["rest"] = _columns(rest, room)
    arrays |= {"next_q": np.zeros((q.shape[1], room)), "errors": np.zeros((3, room))}
    program.run(arrays, 0, count, steps)
    return arrays["next_q"][:, :count].T.copy(), arrays["errors"][:, :count].T.copy()


def _evaluated(program: Executable, q: np.ndarray) -> np.ndarray:
    """The pose (12) of every row of q."""
    room = -(-len(q) // program.lanes) * program.lanes
    poses = np.zeros((12, room))
    program.run({"q": _columns(q, room), "pose": poses}, 0, len(q))
    return poses[:, : len(q)].T.copy()


def _columns(values: np.ndarray, room: int) -> np.ndarray:
    padded = np.empty((values.shape[1], room))
    padded[:, : len(values)] = values.T
    padded[:, len(values) :] = values[:1].T
    return padded


def _difference(model: Model, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The tangent steps from q0 to q1 (poses, nv)."""
    if model.nq == model.nv:
        return q1 - q0
    rows = [
        [x for joint in model.joints for x in joint.type.difference(a[joint.q].tolist(), b[joint.q].tolist())]
        for a, b in zip(q0, q1, strict=True)
    ]
    return np.array(rows, dtype=float).reshape(len(q0), model.nv)


def _random(model: Model, draw: np.random.Generator, count: int) -> np.ndarray:
    """Starts (count, nq) within the limits."""
    parts = []
    for joint in model.joints:
        if joint.type.nq == 1:
            span = _SPANS.get(joint.type.position_units[0], 1.0)
            low, high = (joint.lower[0], joint.upper[0]) if joint.lower else (-np.inf, np.inf)
            low = low if np.isfinite(low) else (high - 2.0 * span if np.isfinite(high) else -span)
            high = high if np.isfinite(high) else low + 2.0 * span
            if joint.type.position_units[0] == "rad" and high - low > 2.0 * np.pi:
                # one turn says it all, and the middle one is farthest from the limits
                low, high = 0.5 * (low + high) - np.pi, 0.5 * (low + high) + np.pi
            parts.append(draw.uniform(low, high, (count, 1)))
        else:
            parts.append(
                np.array([joint.type.sample(draw) for _ in range(count)]).reshape(count, joint.type.nq)
            )
    return np.concatenate(parts, axis=1) if parts else np.zeros((count, 0))


def _kicked(model: Model, q: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Positions (count, nq) on the way to random ones; joints on a group go there at once."""
    kicked = _random(model, draw, len(q))
    for joint in model.joints:
        if joint.type.nq == 1:
            kicked[:, joint.q] = (1.0 - _KICK) * q[:, joint.q] + _KICK * kicked[:, joint.q]
    return kicked


def _length(model: Model) -> float:
    """The machine's size (m): half of the way from the base to the farthest body along the joints."""
    ways: list[float] = []
    for body in model.bodies:
        step = float(np.linalg.norm([float(x) for x in body.placement.translation]))
        ways.append(step + (ways[body.parent] if body.parent >= 0 else 0.0))
    longest = max(ways, default=0.0)
    return 0.5 * longest if longest > 0.0 else 1.0


def _targets(poses: ArrayLike) -> tuple[np.ndarray, bool]:
    """Rotation by rows and origin of every pose (poses, 12), and whether it is a single one."""
    try:
        given = real_array(poses)
    except (TypeError, ValueError):
        given = np.empty(0)
    single = given.ndim == 2
    given = given[None] if single else given
    if given.ndim != 3 or given.shape[1:] != (4, 4) or not np.isfinite(given).all():
        raise InputError("inverse_kinematics: poses must be one or several 4 x 4 matrices of finite numbers")
    turns = given[:, :3, :3]
    if (
        np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max(initial=0.0) > 1e-6
        or (np.linalg.det(turns) < 0.0).any()
    ):
        raise InputError("inverse_kinematics: the 3 x 3 part of every pose must be a rotation matrix")
    return np.concatenate([turns.reshape(-1, 9), given[:, :3, 3]], axis=1), single


def _first(model: Model, q0: ArrayLike | None, count: int) -> np.ndarray:
    """One start per pose (count, nq)."""
    try:
        q = real_array(model.initial()[0] if q0 is None else q0)
    except (TypeError, ValueError):
        q = np.empty(0)
    if q.shape not in ((model.nq,), (count, model.nq)) or not np.isfinite(q).all():
        raise InputError(
            f"inverse_kinematics: a start or rest position of {model.name!r} is {model.nq} finite numbers, "
            f"or {count} rows of them"
        )
    return np.broadcast_to(q, (count, model.nq)).copy()


def _check(task: str, starts: int, iterations: int, tolerance: Sequence[float]) -> None:
    if task not in TASKS:
        raise InputError(f"inverse_kinematics: task must be one of {', '.join(TASKS)}, not {task!r}")
    for name, value in (("starts", starts), ("iterations", iterations)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"inverse_kinematics: {name} must be a positive whole number, not {value!r}")
    if not isinstance(tolerance, Sequence) or len(tolerance) != 2:
        raise InputError(f"inverse_kinematics: tolerance must be (m, rad), not {tolerance!r}")
    real_numbers("inverse_kinematics", position=tolerance[0], angle=tolerance[1])
    if min(tolerance) <= 0.0:
        raise InputError(f"inverse_kinematics: tolerances must be positive, not {tolerance!r}")
