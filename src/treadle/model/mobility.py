"""How many degrees of freedom loops and couplings leave, and which of their constraints are redundant.

Counting (Gruebler) gives nv - rows, too few wherever constraints repeat each other, as in every planar
linkage in space. The rank of the constraints' Jacobian G v = 0 tells them apart: mobility = nv - rank,
redundant = rows - rank (Featherstone 2008, section 8.2). The initial position may be a singular one, as that
of linkages drawn flat; the largest rank there and in a few closed positions near it is that of almost all.
Where it is open, the closed position near it counts instead. Numbers from files are rounded: rows that would
repeat each other do not quite, and are closed by least squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treadle.graph import Scalar, jacobian, through_graph
from treadle.joints import Tie
from treadle.model.attachments import Loop
from treadle.model.digest import geometry_digest
from treadle.model.loop_path import loop_size
from treadle.model.model import WORLD, Model
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["Mobility", "constraint_jacobian", "mobility"]

#: Singular values below this share of the largest are zero, as in assembly: rounded numbers leave less.
_TOLERANCE = 1e-5
#: A loop that is open by more (of its size, or rad) is not closed; one by less is open by rounding alone.
_CLOSED, _EXACT = 1e-5, 1e-10
_ITERATIONS = 20
#: Lengths of random moves to neighbouring positions.
_MOVES = (0.3, 0.2, 0.1)
#: Slope of a loop's rows below which none of its joints moves it.
_NO_SLOPE = 1e-6
#: Steps of Newton's method (m, rad) that change nothing, and that lead away from every closed position.
_STILL, _FAR = 1e-10, 1e6

#: Counts of the last machines by their geometry, and how many are kept.
_COUNTED: dict[str, Mobility] = {}
_KEPT = 8


@dataclass(frozen=True)
class Mobility:
    """Mobility of a machine, in the positions that it can move to from the initial one."""

    #: degrees of freedom of the tree's joints
    freedoms: int
    #: rows of all loops and couplings
    constraints: int
    #: constraints that follow from the others
    redundant: int
    #: loops that the initial position does not close, and by how much (m, rad)
    open: tuple[tuple[str, float], ...] = ()
    #: loops that it leaves open by so little (m, rad) that rounded numbers explain it
    ajar: tuple[tuple[str, float], ...] = ()
    #: whether a closed position was found to count in
    closed: bool = True

    @property
    def left(self) -> int:
        """Degrees of freedom that the constraints leave."""
        return self.freedoms - self.constraints + self.redundant


def mobility(model: Model) -> Mobility:
    """Count the degrees of freedom of a model of floats."""
    if not model.loops and not model.couplings:
        return Mobility(model.nv, 0, 0)
    key = geometry_digest(model)
    found = _COUNTED.pop(key, None) or _counted(model)
    # a machine whose masses are edited is counted once; the oldest of some goes
    _COUNTED[key] = found
    if len(_COUNTED) > _KEPT:
        _COUNTED.pop(next(iter(_COUNTED)), None)
    return found


def _counted(model: Model) -> Mobility:
    q = model.initial()[0]
    G, _, gaps = _constraints(model, q)
    closed = _close(model, q)
    start = q if closed is None else closed
    rank = max(_rank(model, place) for place in (start, *_neighbours(model, start)))
    unclosed = tuple((name, gap) for name, (gap, share) in gaps.items() if share > _CLOSED)
    ajar = tuple((name, gap) for name, (gap, share) in gaps.items() if _EXACT < share <= _CLOSED)
    return Mobility(model.nv, len(G), len(G) - rank, unclosed, ajar, closed is not None)


def _rank(model: Model, q: list[float]) -> int:
    G = constraint_jacobian(model, q)[0]
    values = np.linalg.svd(_weights(model, G)[:, None] * G, compute_uv=False) if G.size else np.zeros(0)
    return int((values > _TOLERANCE * values.max(initial=0.0)).sum())


def _weights(model: Model, G: np.ndarray) -> np.ndarray:
    """Of every row, what makes loops and couplings of one size, however large they are."""
    weights, start = np.ones(len(G)), 0
    for count in [*(loop.constraints for loop in model.loops), *(1 for _ in model.couplings)]:
        largest = np.linalg.norm(G[start : start + count], axis=1).max(initial=0.0)
        weights[start : start + count] = 1.0 / max(largest, _NO_SLOPE)
        start += count
    return weights


def _neighbours(model: Model, q: list[float]) -> list[list[float]]:
    """Some closed positions near one, each a random move along the loops from the one before."""
    rng = np.random.default_rng(0)
    found: list[list[float]] = []
    for length in _MOVES:
        G = constraint_jacobian(model, q)[0]
        G = _weights(model, G)[:, None] * G
        move = rng.uniform(-1.0, 1.0, model.nv)
        move -= np.linalg.lstsq(G, G @ move, rcond=_TOLERANCE)[0]
        near = _close(model, _moved(model, q, length * move))
        if near is not None:
            found.append(near)
            q = near
    return found


def _close(model: Model, q: list[float]) -> list[float] | None:
    """The closed position near one, by the method of Gauss and Newton, or None."""
    for _ in range(_ITERATIONS):
        G, c, gaps = _constraints(model, q)
        if np.abs(c).max(initial=0.0) < 1e-12:
            return q
        weights = _weights(model, G)
        step = -np.linalg.lstsq(weights[:, None] * G, weights * c, rcond=_TOLERANCE)[0]
        largest = np.abs(step).max(initial=0.0)
        if not largest < _FAR:
            return None
        if largest < _STILL:
            shares = [*(share for _, share in gaps.values()), *np.abs(c[len(c) - len(model.couplings) :])]
            return q if max(shares) < _CLOSED else None
        q = _moved(model, q, step)
    return None


def _moved(model: Model, q: list[float], step: np.ndarray) -> list[float]:
    parts = [joint.type.integrate(q[joint.q], step[joint.v].tolist()) for joint in model.joints]
    return [float(x) for part in parts for x in part]  # type: ignore[arg-type]


def constraint_jacobian(model: Model, q: list[float]) -> tuple[np.ndarray, dict[str, float]]:
    """G (constraints, nv) of all loops, then couplings, at q; and how far each loop is open there."""
    G, _, gaps = _constraints(model, q)
    return G, {name: gap for name, (gap, _) in gaps.items()}


def _constraints(
    model: Model, q: list[float]
) -> tuple[np.ndarray, np.ndarray, dict[str, tuple[float, float]]]:
    """G, what every row is open by (m, rad), and every loop: in m or rad, and as a share of its size."""
    X_WB, J_WB = _kinematics(model, q)
    rows, gaps = [np.zeros((0, model.nv))], {}
    sizes = {loop.name: loop_size(model, loop) for loop in model.loops}
    residuals = [np.zeros(0)]
    for loop in model.loops:
        X_WP = _pose(X_WB, loop.predecessor, loop.predecessor_placement)
        X_WS = _pose(X_WB, loop.successor, loop.successor_placement)
        X_PS = np.linalg.inv(X_WP) @ X_WS
        relative = _jacobian(J_WB, loop.successor, model.nv) - _jacobian(J_WB, loop.predecessor, model.nv)
        if isinstance(loop.type, Tie):
            blocked, lengths = _blocked(loop.type, X_PS)
            residuals.append(lengths)
            gap = float(np.abs(lengths).max(initial=0.0))
            gaps[loop.name] = gap, gap / sizes[loop.name]
        else:
            S, error = _allowed(loop, X_PS)
            # what the joint does not allow: the complement of its motion subspace
            blocked = np.linalg.svd(S, full_matrices=True)[0][:, S.shape[1] :]
            residuals.append(blocked.T @ error)
            gaps[loop.name] = _size(error), _size(error / [1, 1, 1, *[sizes[loop.name]] * 3])
        rows.append(blocked.T @ _motion_matrix(np.linalg.inv(X_WS)) @ relative)
    for coupling in model.couplings:
        row = np.zeros((1, model.nv))
        row[0, coupling.v] = 1.0
        if coupling.source_v is not None and coupling.source_q is not None:
            slope = np.polynomial.Polynomial(coupling.coefficients).deriv()
            row[0, coupling.source_v] -= slope(q[coupling.source_q])
        for _, ratio, _, place in coupling.terms:
            row[0, place] -= ratio
        rows.append(row)
        source = 0.0 if coupling.source_q is None else q[coupling.source_q]
        wanted = np.polynomial.Polynomial(coupling.coefficients)(source)
        wanted += sum(ratio * q[place] for _, ratio, place, _ in coupling.terms)
        residuals.append(np.array([q[coupling.q] - wanted]))
    return np.vstack(rows), np.concatenate(residuals), gaps


def _kinematics(model: Model, q: list[float]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Pose of every body in the world, and its Jacobian (6, nv), angular first, at the world's origin."""
    X_WB: list[np.ndarray] = []
    J_WB: list[np.ndarray] = []
    for body in model.bodies:
        joint = body.joint
        X_PB = (body.placement @ joint.type.transform(q[joint.q])).to_matrix()
        X_WB.append(X_PB if body.parent == WORLD else X_WB[body.parent] @ X_PB)
        J = _jacobian(J_WB, body.parent, model.nv).copy()
        S = np.array([list(column) for column in joint.type.subspace(q[joint.q])], dtype=float).T
        J[:, joint.v] = _motion_matrix(X_WB[-1]) @ S
        J_WB.append(J)
    return X_WB, J_WB


def _pose(X_WB: list[np.ndarray], body: int, placement: Transform) -> np.ndarray:
    X = np.asarray(placement.to_matrix(), dtype=float)
    return X if body == WORLD else X_WB[body] @ X


def _jacobian(J_WB: list[np.ndarray], body: int, count: int) -> np.ndarray:
    return np.zeros((6, count)) if body == WORLD else J_WB[body]


def _allowed(loop: Loop, X_PS: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loop joint's subspace (6, nv) where its position fits best, and the motion that is left."""
    if loop.type is None:
        return np.zeros((6, 0)), _twist(X_PS)
    q = loop.type.neutral()
    S, error = np.zeros((6, 0)), np.zeros(6)
    for _ in range(_ITERATIONS):
        S = np.array([list(column) for column in loop.type.subspace(q)], dtype=float).T
        error = _twist(np.linalg.inv(np.asarray(loop.type.transform(q).to_matrix(), dtype=float)) @ X_PS)
        step = np.linalg.lstsq(S, error, rcond=None)[0]
        if np.abs(step).max() < 1e-12:
            break
        q = loop.type.integrate(q, step.tolist())
    return S, error


def _blocked(tie: Tie, X_PS: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motions of S, by column, that a tie prevents, and the lengths (m) by which it is open along each."""
    R, position = Mat3.of(X_PS[:3, :3].tolist()), Vec3(*X_PS[:3, 3].tolist())

    def closure(move: list[Scalar]) -> list[Scalar]:
        x, y, z = move[:3]
        turned = R @ Mat3(Vec3(1.0, -z, y), Vec3(z, 1.0, -x), Vec3(-y, x, 1.0))
        lengths, _ = tie.closure(Transform.identity(), Transform(turned, position + R.apply(Vec3(*move[3:]))))
        return lengths

    slopes = through_graph(lambda x: [s for row in jacobian(closure(x), x) for s in row], [0.0] * 6)
    rows = np.array(slopes, dtype=float).reshape(-1, 6)
    gaps = np.array(closure([0.0] * 6), dtype=float)
    for direction, point in tie.slips(Transform.identity(), Transform(R, position)):
        along, arm = R.apply_transposed(direction), R.apply_transposed(point - position)
        rows = np.vstack([rows, np.array([*arm.cross(along), *along], dtype=float)])
        gaps = np.append(gaps, 0.0)
    return rows.T, gaps


def _twist(X: np.ndarray) -> np.ndarray:
    """The motion from the identity to a pose, to first order: angular, linear."""
    R = X[:3, :3]
    turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = float(np.linalg.norm(turn)), 0.5 * (np.trace(R) - 1.0)
    if sine > 1e-12:
        turn *= np.arctan2(sine, cosine) / sine
    elif cosine < 0.0:
        # half a turn, about the column of R + 1 that is longest
        axis = (R + np.eye(3))[:, int(np.argmax(np.diag(R)))]
        turn = np.pi * axis / np.linalg.norm(axis)
    return np.concatenate([turn, X[:3, 3]])


def _size(twist: np.ndarray) -> float:
    """The larger of angle and distance."""
    return float(max(np.linalg.norm(twist[:3]), np.linalg.norm(twist[3:])))


def _motion_matrix(X_AB: np.ndarray) -> np.ndarray:
    """6 x 6 matrix that takes motions in B to motions in A."""
    R, (x, y, z) = X_AB[:3, :3], X_AB[:3, 3]
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R
    X[3:, :3] = skew @ R
    return X
