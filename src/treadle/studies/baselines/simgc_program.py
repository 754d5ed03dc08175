"""Compiled program of `Simgc`: free motion, factor of the inertia matrix, and permanent constraint rows.

Permanent rows are those of loops and couplings, of limits and dry friction, and of contacts whose points are
known; their sparsity pattern is constant, so that the program returns them as packed numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limit_rows
from treadle.constraints.rows import Row, closure_rows
from treadle.dynamics.cholesky import factor, parent_freedoms, solve
from treadle.dynamics.crba import crba
from treadle.dynamics.kinematics import world_transforms
from treadle.dynamics.rnea import rnea
from treadle.forces.passive import damping, passive_force
from treadle.graph import Expr, Graph, Scalar, sqrt
from treadle.model.model import WORLD, Model
from treadle.native.frames import IntegerList, Integers, RealList, Reals
from treadle.native.program import Program, compile_program
from treadle.solvers.sequential.tree import Tree, tree_pattern
from treadle.spatial import Transform
from treadle.studies.baselines.point_contact import PointContact

__all__ = ["Machine", "Moment", "Pattern", "compile_machine"]

#: The Jacobian of a row by degree of freedom.
Jacobian = dict[int, Scalar]


class Pattern(NamedTuple):
    """Where the rows act: loops first, then bounded rows, then three for every contact."""

    first: IntegerList  # (rows + 1) where the entries of the Jacobians begin
    place: Integers  # (entries) their dofs
    support_first: Integers  # (rows + 1) where the dofs that carry those begin
    support: Integers  # dofs on the way to the base, the last first
    friction: Reals  # (contacts) coefficients


class Moment(NamedTuple):
    """Arrays in the memory of the compiled code: state and forces in, the free motion and rows out."""

    q: Reals  # (nq)
    v: Reals  # (nv)
    tau: Reals  # (nv)
    dt: Reals  # (1)
    velocity: Reals  # (nv) after dt without any row
    L: Reals  # factors of the inertia matrix, see `Tree`
    root: Reals  # (nv)
    jacobian: Reals  # (entries of the pattern)
    gap: RealList  # (loops) residuals
    slowest: RealList  # (bounded rows), as the next four
    fastest: Reals
    low: Reals
    high: Reals
    softness: Reals
    distance: RealList  # (contacts) of point and face (m)


@dataclass(frozen=True)
class Machine:
    """Compiled code, with addresses for kernels: entry and frame of the free motion, and of the drift.

    The drift moves the positions `drift_q` by the tangent step `drift_step`, into `drift_next`.
    """

    model: Model
    pattern: Pattern
    moment: Moment
    tree: Tree
    addresses: tuple[int, int, int, int]
    drift_q: np.ndarray
    drift_step: np.ndarray
    drift_next: np.ndarray
    #: what the addresses point to
    memory: tuple


def compile_machine(model: Model, contacts: Sequence[PointContact] = ()) -> Machine:
    """The code of a machine, from the disk cache where it was compiled before."""
    motion = compile_program(_motion_program(model, contacts))
    drift = compile_program(_drift_program(model))
    frame, drift_frame = motion.frame(), drift.frame()
    moment = Moment(*frame.inputs, *frame.outputs)
    parent, start = tree_pattern(parent_freedoms(model))
    none, numbers = np.zeros(0, np.int64), np.zeros(0)
    one = np.zeros(1, np.int64)
    size = np.array([model.nv, 0])
    tree = Tree(parent, start, moment.L, moment.root, one, none, numbers, one, none, numbers, numbers, size)
    return Machine(
        model,
        _pattern(model, contacts),
        moment,
        tree,
        (motion.entry, frame.address, drift.entry, drift_frame.address),
        *drift_frame.inputs,
        *drift_frame.outputs,
        memory=(motion, frame, drift, drift_frame),
    )


def _drift_program(model: Model) -> Program:
    def drift(q: Sequence[Scalar], step: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
        return {"next_q": [x for j in model.joints for x in j.type.integrate(q[j.q], step[j.v])]}

    return Program(f"drift {model.digest}", {"q": model.nq, "step": model.nv}, drift)


def _motion_program(model: Model, contacts: Sequence[PointContact]) -> Program:
    def motion(
        q: Sequence[Expr], v: Sequence[Expr], tau: Sequence[Expr], dt: Sequence[Expr]
    ) -> dict[str, Sequence[Scalar]]:
        (h,) = dt
        L, inverse_diagonal, velocity = _free(model, q, v, tau, h)
        loops, bounded, touching = _rows(model, q, velocity, v, h, contacts)
        rows = [*[row.jacobian for row in loops], *[row.jacobian for row in bounded]]
        rows += [row for _, three in touching for row in three]
        return {
            "velocity": velocity,
            "L": [row[i] for row in L for i in row],
            "root": [sqrt(x) for x in inverse_diagonal],
            "jacobian": [x for row in rows for x in row.values()],
            "gap": [row.residual for row in loops],
            "slowest": [row.slowest for row in bounded],
            "fastest": [row.fastest for row in bounded],
            "low": [row.low for row in bounded],
            "high": [row.high for row in bounded],
            "softness": [row.softness for row in bounded],
            "distance": [distance for distance, _ in touching],
        }

    digest = f"free motion {model.digest} {[contact.in_bodies(model) for contact in contacts]}"
    if contacts:
        digest = None
    return Program(digest, {"q": model.nq, "v": model.nv, "tau": model.nv, "dt": 1}, motion)


def _free(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], h: Scalar
) -> tuple[list[Jacobian], list[Scalar], list[Scalar]]:
    """Factors of the inertia matrix, and the velocity that the tree has after h seconds by itself."""
    M, parents = crba(model, q), parent_freedoms(model)
    L, inverse_diagonal = factor(M, parents)
    needed = rnea(model, q, v, [0.0] * model.nv)
    force = [t + p - c for t, p, c in zip(tau, passive_force(model, q, v), needed, strict=True)]
    slowed = damping(model)
    factors = L, inverse_diagonal
    if any(not (isinstance(d, float) and d == 0.0) for d in slowed):
        # dampers act on the velocity at the end of the step
        for k, d in enumerate(slowed):
            M[k][k] = M[k][k] + h * d
        factors = factor(M, parents)
    a = solve(*factors, force)
    return L, inverse_diagonal, [x + h * rate for x, rate in zip(v, a, strict=True)]


def _rows(
    model: Model,
    q: Sequence[Expr],
    v: Sequence[Scalar],
    before: Sequence[Scalar],
    h: Scalar,
    contacts: Sequence[PointContact],
) -> tuple[list[Row], list[BoundedRow], list[tuple[Scalar, list[Jacobian]]]]:
    """Rows of loops and couplings, bounded rows, and distance and three rows of every contact.

    v is the velocity without them, `before` that at the start of the step.
    """
    loops = closure_rows(model, q) if model.closed else []
    bounded = [*limit_rows(model, q, v, h, before), *friction_rows(model, q, h)]
    X = world_transforms(model, q) if contacts else []
    return loops, bounded, [_contact_rows(model, q, X, contact) for contact in contacts]


def _contact_rows(
    model: Model, q: Sequence[Scalar], X: Sequence[Transform], contact: PointContact
) -> tuple[Scalar, list[Jacobian]]:
    """Distance of a point from a face, and its velocity relative to that along normal and tangents."""
    on, point, under, origin, directions = contact.in_bodies(model)
    place = point if on == WORLD else X[on].apply_point(point)
    if under != WORLD:
        origin = X[under].apply_point(origin)
        directions = tuple(X[under].rotation.apply(d) for d in directions)
    rows: list[Jacobian] = [{} for _ in directions]
    for body, sign in ((on, 1.0), (under, -1.0)):
        i = body
        while i != WORLD:
            joint = model.bodies[i].joint
            columns = joint.type.subspace(q[joint.q])
            for k, S in zip(range(joint.v.start, joint.v.stop), columns, strict=True):
                angular = X[i].rotation.apply(S.angular)
                moved = X[i].rotation.apply(S.linear) + angular.cross(place - X[i].translation)
                for row, d in zip(rows, directions, strict=True):
                    row[k] = row.get(k, 0.0) + sign * d.dot(moved)
            i = model.bodies[i].parent
    return directions[0].dot(place - origin), rows


def _pattern(model: Model, contacts: Sequence[PointContact]) -> Pattern:
    """The places of the rows, from a trace of them alone."""
    graph = Graph()
    q, v, h = graph.inputs(model.nq), graph.inputs(model.nv), graph.inputs(1)[0]
    loops, bounded, touching = _rows(model, q, v, v, h, contacts)
    rows = [list(row.jacobian) for row in (*loops, *bounded)]
    rows += [list(row) for _, three in touching for row in three]
    parents = parent_freedoms(model)
    supports = [sorted({k for tip in row for k in _way(parents, tip)}, reverse=True) for row in rows]
    friction = np.array([contact.friction for contact in contacts], dtype=float)
    return Pattern(*_packed(rows), *_packed(supports), friction)


def _way(parents: Sequence[int], k: int) -> Iterator[int]:
    while k >= 0:
        yield k
        k = parents[k]


def _packed(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    first = np.cumsum([0, *[len(x) for x in lists]], dtype=np.int64)
    return first, np.array([k for x in lists for k in x], dtype=np.int64)
