"""Sequential impulses in generalized coordinates (SIMGC): a machine stepped by them.

A step lets the tree move freely, applies the impulses of the last step, and goes over the rows of loops,
motors, stops, friction and contacts until no impulse changes by more than a tolerance. What has come apart is
closed by split impulses: pseudo-velocities that move the positions once,

    q' = q (+) h (v' + pseudo).

Mikhaylyuk, Strashnov and Timokhin (2018), "Algorithms of multibody dynamics simulation using articulated-body
method".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treadle.constraints.rows import residuals
from treadle.dynamics.energy import kinetic_energy, potential_energy, spring_energy
from treadle.dynamics.kinematics import world_transforms
from treadle.errors import InputError, SimulationDiverged
from treadle.model.model import WORLD, Model
from treadle.native.c_types import CPointer, int64, void
from treadle.native.calling import call
from treadle.native.entries import entry
from treadle.native.frames import Integers, Reals, view
from treadle.native.kernels import inner
from treadle.solvers.sequential.gauss_seidel import correct, prepare, solve
from treadle.solvers.sequential.rows import MOST_TOGETHER, PAIR, SECOND, TOGETHER, Rows, empty_rows
from treadle.solvers.sequential.tree import Tree, chain, half_solve, spread
from treadle.studies.baselines.effort import Effort
from treadle.studies.baselines.point_contact import PointContact
from treadle.studies.baselines.simgc_program import Moment, Pattern, compile_machine

__all__ = ["Simgc"]


class Motors(NamedTuple):
    """Motors by the order in which they were set; see `Simgc.hold` and `Simgc.drive`."""

    dof: Integers  # (nv)
    place: Integers  # (nv) of its position in q
    holds: Integers  # (nv) whether it keeps a position
    position: Reals  # (nv)
    rate: Reals  # (nv)
    effort: Reals  # (nv)


class _Frame(NamedTuple):
    """What the kernel reads and writes."""

    addresses: Integers  # (4) entry and frame of the free motion, and of the drift
    moment: Moment
    pattern: Pattern
    tree: Tree
    rows: Rows
    motors: Motors
    drift_q: Reals  # (nq)
    drift_step: Reals  # (nv)
    drift_next: Reals  # (nq)
    z: Reals  # (nv)
    work: Reals  # (nv)
    size: Integers  # (3) nq, nv, number of motors
    limits: Reals  # (2) tolerance (N s), and share of what has come apart that a step closes
    way: Integers  # (2) sweeps at most, and what follows one
    taken: Integers  # (2) iterations in all, and most in one step
    change: Reals  # (1) largest change of an impulse in a last sweep


_frame = view(_Frame)


class Simgc:
    """A machine whose loops, motors, limits, friction and contacts are rows of sequential impulses.

    A step takes at most `iterations` sweeps, fewer where no impulse changes by more than `tolerance` (N s,
    N m s). `share` of what has come apart is closed in every step. `way` tells what follows a sweep (see
    `rows`). `effort` sums up the work of all steps.
    """

    def __init__(
        self,
        model: Model,
        dt: float = 1e-3,
        q: Sequence[float] | np.ndarray | None = None,
        v: Sequence[float] | np.ndarray | None = None,
        iterations: int = 50,
        tolerance: float = 0.0,
        share: float = 0.2,
        way: int = TOGETHER,
        contacts: Sequence[PointContact] = (),
    ) -> None:
        if not (np.isfinite(dt) and dt > 0.0):
            raise InputError(f"dt must be a positive number of seconds, not {dt!r}")
        if iterations < 1 or tolerance < 0.0 or not 0.0 <= share <= 1.0:
            raise InputError("iterations must be at least 1, tolerance not negative and share from 0 to 1")
        self.model, self.dt = model, float(dt)
        self.iterations, self.tolerance, self.share = int(iterations), float(tolerance), float(share)
        self.way = way
        self.time, self.effort = 0.0, Effort()
        self.machine = compile_machine(model, contacts)
        first_q, first_v = model.initial()
        moment, pattern = self.machine.moment, self.machine.pattern
        moment.q[:], moment.v[:] = first_q if q is None else q, first_v if v is None else v
        moment.dt[0] = dt
        lasting = len(pattern.first) - 1
        entries = len(pattern.support) + len(self.machine.tree.L) + model.nv
        self.rows = empty_rows(lasting + model.nv, entries, model.nv, MOST_TOGETHER)
        _set_kinds(self.rows, pattern, lasting - 3 * len(contacts))
        self._motors = Motors(*np.zeros((3, model.nv), np.int64), *np.zeros((3, model.nv)))
        self._driven: dict[int, int] = {}
        self._frame = self._make_frame()

    @property
    def q(self) -> np.ndarray:
        """Positions of the joints; may be written."""
        return self.machine.moment.q

    @property
    def v(self) -> np.ndarray:
        """Velocities of the joints; may be written."""
        return self.machine.moment.v

    def step(self, count: int = 1) -> Effort:
        """Advance by a number of steps, and say what they took."""
        frame = self._frame
        frame.size[2] = len(self._driven)
        frame.limits[:] = self.tolerance, self.share
        frame.way[:] = self.iterations, self.way
        _advance(frame, count)
        self.time += count * self.dt
        if not (np.isfinite(self.q).all() and np.isfinite(self.v).all()):
            raise SimulationDiverged(
                f"{self.model.name!r} left the finite numbers before {self.time:g} s; use a shorter dt",
                time=self.time,
                element=self.model.name,
            )
        iterations, most = frame.taken.tolist()
        effort = Effort(count, iterations, most, float(frame.change[0]))
        self.effort = self.effort + effort
        return effort

    def hold(self, joint: str, position: float, rate: float = 0.0, freedom: int = 0) -> None:
        """Let a motor without limits keep a degree of freedom at a position that moves at a rate."""
        found = self.model.joint(joint)
        if found.type.nq != found.type.nv:
            raise InputError(f"the position of joint {joint!r} is a rotation: only rates of it can be driven")
        self._set_motor(joint, freedom, True, position, rate, np.inf)

    def drive(self, joint: str, rate: float, effort: float = np.inf, freedom: int = 0) -> None:
        """Let a motor of limited force or torque keep a degree of freedom at a rate."""
        self._set_motor(joint, freedom, False, 0.0, rate, effort)

    def position(self, joint: str, freedom: int = 0) -> float:
        """Position of a degree of freedom."""
        return float(self.q[self.model.joint(joint).q.start + freedom])

    def pose(self, name: str) -> np.ndarray:
        """Pose X_WF of a link or frame in the world, as a 4 x 4 matrix."""
        frame = self.model.frame(name)
        placement = frame.placement.to_matrix()
        if frame.body == WORLD:
            return placement
        return world_transforms(self.model, self.q.tolist())[frame.body].to_matrix() @ placement

    def gap(self) -> float:
        """The largest residual of loops and couplings (m, sines of angles)."""
        return max((abs(c) for c in residuals(self.model, self.q.tolist())), default=0.0)  # type: ignore[type-var]

    def energy(self) -> float:
        """Kinetic energy, energy in the gravity field and of the joint springs (J)."""
        q, v = self.q.tolist(), self.v.tolist()
        moving, lifted = kinetic_energy(self.model, q, v), potential_energy(self.model, q)
        return float(moving + lifted + spring_energy(self.model, q))  # type: ignore[arg-type]

    def _make_frame(self) -> _Frame:
        model, machine = self.model, self.machine
        z, work = np.zeros((2, model.nv))
        return _Frame(
            addresses=np.array(machine.addresses, dtype=np.int64),
            moment=machine.moment,
            pattern=machine.pattern,
            tree=machine.tree,
            rows=self.rows,
            motors=self._motors,
            drift_q=machine.drift_q,
            drift_step=machine.drift_step,
            drift_next=machine.drift_next,
            z=z,
            work=work,
            size=np.array([model.nq, model.nv, 0]),
            limits=np.zeros(2),
            way=np.zeros(2, np.int64),
            taken=np.zeros(2, np.int64),
            change=np.zeros(1),
        )

    def _set_motor(
        self, joint: str, freedom: int, holds: bool, position: float, rate: float, effort: float
    ) -> None:
        found = self.model.joint(joint)
        if not 0 <= freedom < found.type.nv:
            raise InputError(f"joint {joint!r} has {found.type.nv} degrees of freedom, not {freedom + 1}")
        k = self._driven.setdefault(found.v.start + freedom, len(self._driven))
        motors = self._motors
        motors.dof[k], motors.place[k] = found.v.start + freedom, found.q.start + freedom
        motors.holds[k], motors.position[k] = holds, position
        motors.rate[k], motors.effort[k] = rate, effort


def _set_kinds(rows, pattern, first: int) -> None:
    """Constant fields of the rows: kinds and friction coefficients of the contacts."""
    for c, friction in enumerate(pattern.friction):
        i = first + 3 * c
        rows.low[i], rows.slowest[i + 1 : i + 3], rows.fastest[i + 1 : i + 3] = 0.0, 0.0, 0.0
        rows.kind[i + 1], rows.kind[i + 2] = PAIR, SECOND
        rows.normal[i + 1 : i + 3], rows.share[i + 1 : i + 3] = i, friction


@entry(void(CPointer(int64), int64))
def _advance(pointer: Any, steps: Any) -> None:
    """Take steps."""
    frame = _frame(pointer)
    moment, rows, tree, motors = frame.moment, frame.rows, frame.tree, frame.motors
    addresses, z, work = frame.addresses, frame.z, frame.work
    nq, nv, driven = frame.size[0], frame.size[1], frame.size[2]
    limit, way, tolerance, h = frame.way[0], frame.way[1], frame.limits[0], moment.dt[0]
    total, most, worst = 0, 0, 0.0
    for _ in range(steps):
        call(addresses[0], addresses[1])
        count = _fill(frame)
        prepare(rows, count, z)
        taken, change = solve(rows, count, z, limit, tolerance, 0.0, way)
        _copy(moment.velocity, moment.v, nv)
        spread(tree, z, work, moment.v)
        _copy(moment.v, frame.drift_step, nv)
        closing, left = correct(rows, count, z, limit, tolerance, 0.0, way)
        spread(tree, z, work, frame.drift_step)
        for k in range(nv):
            frame.drift_step[k] *= h
        _copy(moment.q, frame.drift_q, nq)
        call(addresses[2], addresses[3])
        _copy(frame.drift_next, moment.q, nq)
        for m in range(driven):
            motors.position[m] += h * motors.rate[m]
        taken = max(taken, closing)
        total, most, worst = total + taken, max(most, taken), max(worst, change, left)
    frame.taken[0], frame.taken[1], frame.change[0] = total, most, worst


@inner()
def _copy(source, target, count):
    for k in range(count):
        target[k] = source[k]


@inner()
def _fill(frame):
    """Write all rows at a state; their number."""
    moment, rows, tree, motors = frame.moment, frame.rows, frame.tree, frame.motors
    share, h, driven = frame.limits[1], moment.dt[0], frame.size[2]
    lasting, loops, bounded = len(frame.pattern.first) - 1, len(moment.gap), len(moment.slowest)
    _lay(frame)
    for i in range(loops):
        rows.slowest[i] = rows.fastest[i] = 0.0
        rows.closes[i], rows.closing[i] = 1, -share / h * moment.gap[i]
    for k in range(bounded):
        i = loops + k
        rows.slowest[i], rows.fastest[i] = moment.slowest[k], moment.fastest[k]
        rows.low[i], rows.high[i], rows.softness[i] = moment.low[k], moment.high[k], moment.softness[k]
    for c in range(len(moment.distance)):
        # a point above its face may come as near as touching it
        i, distance = loops + bounded + 3 * c, moment.distance[c]
        rows.slowest[i] = -max(distance, 0.0) / h
        rows.closes[i], rows.closing[i] = int(distance < 0.0), -share / h * distance
    for m in range(driven):
        i, k = lasting + m, motors.dof[m]
        chain(tree, rows, i, k, -1)
        frame.work[k] = 1.0
        half_solve(tree, rows, i, frame.work)
        rows.velocity[i] = moment.velocity[k]
        rows.slowest[i] = rows.fastest[i] = motors.rate[m]
        rows.high[i] = h * motors.effort[m]
        rows.low[i] = -rows.high[i]
        rows.closes[i] = motors.holds[m]
        rows.closing[i] = -share / h * (moment.q[motors.place[m]] - motors.position[m])
    return lasting + driven


@inner()
def _lay(frame):
    """Entries and free velocities of the lasting rows."""
    pattern, moment, rows, work = frame.pattern, frame.moment, frame.rows, frame.work
    for i in range(len(pattern.first) - 1):
        e = rows.first[i]
        for s in range(pattern.support_first[i], pattern.support_first[i + 1]):
            rows.place[e] = pattern.support[s]
            e += 1
        rows.loops[i] = e
        total = 0.0
        for j in range(pattern.first[i], pattern.first[i + 1]):
            x, k = moment.jacobian[j], pattern.place[j]
            work[k] = x
            total += x * moment.velocity[k]
        rows.velocity[i] = total
        half_solve(frame.tree, rows, i, work)
