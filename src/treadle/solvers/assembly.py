"""A consistent state of a machine with loops from an approximate one: positions first, then velocities."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treadle.constraints.rows import Group, closure_rows, residuals, row_groups, row_names
from treadle.errors import InputError, ModelError
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.model.values import plain, real_array
from treadle.native.program import Program, compile_program
from treadle.solvers.closing_move import closing_move

__all__ = ["Assembly", "assemble", "closure_evaluation", "mobility_at"]

#: Residuals c (m, sines of angles) and their Jacobian (len(c), nv) at q.
Evaluation = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

#: Residuals (m, sines of angles) below this count as closed.
CLOSED = 1e-10

#: What loops whose numbers do not quite fit may stay open, as a share of the machine's size (or in rad).
TOLERANCE = 1e-5

#: Steps of Newton's method after which it gives up.
_LIMIT = 200

#: Singular values below this share of the largest are zero, and the most that counts as such where loops
#: stay open: gaps turn dependent rows against each other.
_RANK, _MOST_RANK = 1e-5, 1e-4

#: Slope of a loop's rows below which none of its joints moves it.
_NO_SLOPE = 1e-6

#: Singular values below this share of the largest make a position nearly singular.
_WEAK = 1e-4


@dataclass(frozen=True)
class Assembly:
    """A state in which all loops are closed, with its mobility and redundant constraints.

    `mobility` are the degrees of freedom that the loops leave, `redundant` the rows that follow from
    others, `weak` the joints whose motion the loops hardly determine where they are nearly singular.
    """

    q: np.ndarray
    v: np.ndarray
    residual: float
    mobility: int
    redundant: int
    weak: tuple[str, ...] = ()

    def __str__(self) -> str:
        freedoms = f"{self.mobility} degree{'s' if self.mobility != 1 else ''} of freedom left"
        parts = [f"closed to {self.residual:.1e} (m, rad)", freedoms]
        if self.residual > CLOSED:
            parts[0] += ", as far as rounded numbers let redundant constraints agree"
        if self.redundant:
            parts.append(f"{self.redundant} redundant constraints, whose forces are not determined")
        if self.weak:
            parts.append(f"nearly singular: {', '.join(self.weak)} can move with hardly any resistance")
        return "; ".join(parts)


def assemble(
    model: Model,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    hold_positions: Sequence[str] = (),
    hold_velocities: Sequence[str] = (),
) -> Assembly:
    """The state nearest to q and v (the initial ones unless they are given) that closes all loops.

    Joints of which the position or the velocity is held keep it as it is given. ModelError, with the loop
    that is widest open, where there is no such state near.
    """
    first_q, first_v = model.initial()
    position = _vector("q", first_q if q is None else q, model.nq)
    velocity = _vector("v", first_v if v is None else v, model.nv)
    if not model.closed:
        return Assembly(position, velocity, 0.0, model.nv, 0)
    evaluate, groups = closure_evaluation(model), row_groups(model)
    scales = np.array([group.scale for group in groups])
    position = _closed(model, position, _holding(model, hold_positions, evaluate), groups)
    c, J = evaluate(position)
    residual = float(np.abs(c).max(initial=0.0))
    if np.abs(c / scales).max(initial=0.0) > TOLERANCE:
        widest = int(np.argmax(np.abs(c / scales)))
        name = row_names(model)[widest]
        raise ModelError(
            f"{model.name!r} cannot be assembled near this position: its loop "
            f"{name!r} stays open by {abs(c[widest]):.3g} (m or rad)",
            hint="hold fewer positions, or others" if hold_positions else _remedy(model, position, name),
        )
    smallest = _rank_share(c, groups)
    movable = _holding(model, hold_velocities, evaluate)(position)[1] if hold_velocities else J
    velocity = velocity - _least_step(movable, J @ velocity, _weights(movable, groups), smallest)
    if hold_velocities:
        _check_rates(model, J @ velocity / scales, velocity, hold_velocities)
    _, sizes, directions = np.linalg.svd(_weights(J, groups)[:, None] * J)
    scale = sizes.max(initial=0.0)
    rank = int((sizes > smallest * scale).sum())
    weak = [directions[k] for k in range(len(sizes)) if smallest * scale < sizes[k] < _WEAK * scale]
    return Assembly(position, velocity, residual, model.nv - rank, len(J) - rank, _joints(model, weak))


def _remedy(model: Model, position: np.ndarray, name: str) -> str:
    """What would close a loop that stays open."""
    move = closing_move(model, position, name)
    usual = "correct the lengths of its links or the frames of its joints, or start nearer"
    return usual if move is None else f"{usual}: {move}"


def mobility_at(model: Model, q: np.ndarray, locked: np.ndarray) -> int:
    """Degrees of freedom that loops leave at a position where they are closed, with some locked (nv)."""
    groups = row_groups(model)
    c, J = closure_evaluation(model)(q)
    J = np.where(locked, 0.0, J)
    sizes = np.linalg.svd(_weights(J, groups)[:, None] * J, compute_uv=False)
    rank = int((sizes > _rank_share(c, groups) * sizes.max(initial=0.0)).sum())
    return model.nv - int(locked.sum()) - rank


def _closed(model: Model, position: np.ndarray, evaluate: Evaluation, groups: Sequence[Group]) -> np.ndarray:
    """The position near a given one with the least squares of residuals, by Gauss and Newton."""
    c, J = evaluate(position)
    for _ in range(_LIMIT):
        weights = _weights(J, groups)
        gap = float(np.linalg.norm(weights * c))
        if np.abs(c).max(initial=0.0) < 1e-14:
            break
        step = -_least_step(J, c, weights, _rank_share(c, groups))
        # a step that goes too far is halved; one that no longer helps is at rounding, or stuck
        for length in 0.5 ** np.arange(12):
            trial = _moved(model, position, length * step)
            new_c, new_J = evaluate(trial)
            if np.linalg.norm(weights * new_c) < (1.0 - 0.1 * length) * gap:
                break
        else:
            break
        position, c, J = trial, new_c, new_J
    return position


def _least_step(J: np.ndarray, c: np.ndarray, weights: np.ndarray, smallest: float) -> np.ndarray:
    """The shortest x with the least squares of weighted rows J x - c; exactly zero where J has no slope."""
    step = np.linalg.lstsq(weights[:, None] * J, weights * c, rcond=smallest)[0]
    return np.where(J.any(axis=0), step, 0.0)


def _holding(model: Model, names: Sequence[str], evaluate: Evaluation) -> Evaluation:
    """The same as if the joints of these names could not move."""
    if isinstance(names, str):
        raise InputError(f"joints to hold are a list of names, such as [{names!r}]")
    held = [k for name in names for k in range(*model.joint(name).v.indices(model.nv))]
    if not held:
        return evaluate

    def evaluate_others(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c, J = evaluate(q)
        J = J.copy()
        J[:, held] = 0.0
        return c, J

    return evaluate_others


def _check_rates(model: Model, rates: np.ndarray, velocity: np.ndarray, held: Sequence[str]) -> None:
    """That the velocities that are held do not open loops."""
    worst = int(np.argmax(np.abs(rates)))
    if abs(rates[worst]) > TOLERANCE * (1.0 + float(np.abs(velocity).max())):
        raise ModelError(
            f"the velocities of {', '.join(map(repr, held))} open the loop {row_names(model)[worst]!r} of "
            f"{model.name!r} at {abs(rates[worst]):.3g} of its size per second",
            hint="hold fewer velocities, or velocities that go together",
        )


def _weights(J: np.ndarray, groups: Sequence[Group]) -> np.ndarray:
    """Of every row, what makes all loops of one size: the largest slope of each is one."""
    scales = np.array([group.scale for group in groups])
    numbers = np.array([group.number for group in groups], dtype=int)
    steepest = np.zeros(numbers.max(initial=-1) + 1)
    np.maximum.at(steepest, numbers, np.linalg.norm(J, axis=1) / scales)
    return 1.0 / (scales * np.maximum(steepest, _NO_SLOPE)[numbers])


def _rank_share(c: np.ndarray, groups: Sequence[Group]) -> float:
    """Share of the largest singular value below which one counts as zero where loops are open by c."""
    scales = np.array([group.scale for group in groups])
    return float(np.clip(10.0 * np.abs(c / scales).max(initial=0.0), _RANK, _MOST_RANK))


def closure_evaluation(model: Model) -> Evaluation:
    """c(q) and J(q) of the machine as a function over numbers, made once per model."""
    kept = model.__dict__.setdefault("_functions", {})
    if "closure" not in kept:
        kept["closure"] = _evaluation(model)
    return kept["closure"]


def _evaluation(model: Model) -> Evaluation:
    def rows(q: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        every = residuals(model, q)
        kept = {row.index: row for row in closure_rows(model, q)}  # type: ignore[arg-type]
        jacobian = [
            kept[i].jacobian.get(k, 0.0) if i in kept else 0.0
            for i in range(len(every))
            for k in range(model.nv)
        ]
        return {"residuals": every, "jacobian": jacobian}

    executable = compile_program(Program(f"closure {_geometry(model)}", {"q": model.nq}, rows, hot=False))

    def evaluate(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        outputs = executable(q)
        if outputs is None:
            raise InputError(f"q of {model.name!r} must be finite")
        return outputs[0], outputs[1].reshape(-1, model.nv)

    return evaluate


def _geometry(model: Model) -> str:
    """Hash of all that the closure of loops depends on: neither masses nor what acts on the joints."""
    bodies = [
        (body.parent, body.joint.type.kind, plain(vars(body.joint.type)), plain(body.placement.to_list()))
        for body in model.bodies
    ]
    loops = [
        (
            loop.predecessor,
            loop.successor,
            None if loop.type is None else (loop.type.kind, plain(vars(loop.type))),
            plain(loop.predecessor_placement.to_list()),
            plain(loop.successor_placement.to_list()),
        )
        for loop in model.loops
    ]
    couplings = [(c.q, c.source_q, plain(c.coefficients), [t[1:] for t in c.terms]) for c in model.couplings]
    return hashlib.sha256(repr((bodies, loops, couplings)).encode()).hexdigest()


def _moved(model: Model, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    parts = [joint.type.integrate(q[joint.q].tolist(), step[joint.v].tolist()) for joint in model.joints]
    return np.array([x for part in parts for x in part], dtype=float)


def _joints(model: Model, directions: Sequence[np.ndarray]) -> tuple[str, ...]:
    """Joints that move most along some directions."""
    return tuple(
        joint.name
        for joint in model.joints
        if any(np.abs(direction[joint.v]).max() > 0.3 for direction in directions)
    )


def _vector(name: str, value: ArrayLike, size: int) -> np.ndarray:
    try:
        numbers = real_array(value)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise InputError(f"{name} must be {size} finite numbers, not {value!r}")
    return numbers
