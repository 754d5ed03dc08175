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
from typing import NamedTuple

import numpy as np

from treadle.constraints.rows import residuals
from treadle.dynamics.energy import kinetic_energy, potential_energy, spring_energy
from treadle.dynamics.kinematics import world_transforms
from treadle.errors import InputError, SimulationDiverged
from treadle.model.model import WORLD, Model
from treadle.native.calling import call
from treadle.native.kernels import njit
from treadle.solvers.sequential.gauss_seidel import correct, prepare, solve
from treadle.solvers.sequential.rows import MOST_TOGETHER, PAIR, SECOND, TOGETHER, empty_rows
from treadle.solvers.sequential.tree import chain, half_solve, half_solve_row, spread
from treadle.studies.baselines.effort import Effort
from treadle.studies.baselines.point_contact import PointContact
from treadle.studies.baselines.simgc_program import compile_machine

__all__ = ["Simgc"]


class Motors(NamedTuple):
    """Motors by the order in which they were set; see `Simgc.hold` and `Simgc.drive`."""

    dof: np.ndarray  # (nv)
    place: np.ndarray  # (nv) of its position in q
    holds: np.ndarray  # (nv) whether it keeps a position
    position: np.ndarray  # (nv)
    rate: np.ndarray  # (nv)
    effort: np.ndarray  # (nv)


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
        whole = np.zeros(model.nv, np.int64)
        self._motors = Motors(whole, whole.copy(), whole.astype(bool), *np.zeros((3, model.nv)))
        self._driven: dict[int, int] = {}
        self._z, self._work = np.zeros(model.nv), np.zeros(model.nv)

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
        machine = self.machine
        parts = (machine.moment, machine.pattern, machine.tree, self.rows, self._motors)
        drift = (machine.drift_q, machine.drift_step, machine.drift_next)
        limits = (self.iterations, self.tolerance, self.share, self.way)
        memory = (self._z, self._work)
        taken = _advance(machine.addresses, parts, len(self._driven), drift, memory, count, limits)
        self.time += count * self.dt
        if not (np.isfinite(self.q).all() and np.isfinite(self.v).all()):
            raise SimulationDiverged(
                f"{self.model.name!r} left the finite numbers before {self.time:g} s; use a shorter dt",
                time=self.time,
                element=self.model.name,
            )
        effort = Effort(count, *taken)
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


@njit(cache=True)
def _advance(addresses, parts, driven, drift, memory, steps, limits):
    """Take steps; iterations in all, most in one step, largest change of an impulse in a last sweep."""
    moment, pattern, tree, rows, motors = parts
    drift_q, drift_step, drift_next = drift
    (z, work), (limit, tolerance, share, way) = memory, limits
    total, most, worst = 0, 0, 0.0
    h = moment.dt[0]
    for _ in range(steps):
        call(addresses[0], addresses[1])
        count = _fill(moment, pattern, tree, rows, motors, driven, work, h, share)
        prepare(rows, count, z)
        taken, change = solve(rows, count, z, limit, tolerance, 0.0, way)
        moment.v[:] = moment.velocity
        spread(tree, z, work, moment.v)
        drift_step[:] = moment.v
        closing, left = correct(rows, count, z, limit, tolerance, 0.0, way)
        spread(tree, z, work, drift_step)
        drift_step *= h
        drift_q[:] = moment.q
        call(addresses[2], addresses[3])
        moment.q[:] = drift_next
        for k in range(driven):
            motors.position[k] += h * motors.rate[k]
        taken = max(taken, closing)
        total, most, worst = total + taken, max(most, taken), max(worst, change, left)
    return total, most, worst


@njit(cache=True)
def _fill(moment, pattern, tree, rows, motors, driven, work, h, share):
    """Write all rows at a state; their number."""
    lasting, loops, bounded = len(pattern.first) - 1, len(moment.gap), len(moment.slowest)
    _lay(pattern, moment, tree, rows, work)
    # locals: every access to the tuple would count a reference
    slowest, fastest, low, high = rows.slowest, rows.fastest, rows.low, rows.high
    closes, closing, velocity, softness = rows.closes, rows.closing, rows.velocity, rows.softness
    gap, distances = moment.gap, moment.distance
    for i in range(loops):
        slowest[i] = fastest[i] = 0.0
        closes[i], closing[i] = True, -share / h * gap[i]
    last = loops + bounded
    slowest[loops:last], fastest[loops:last] = moment.slowest, moment.fastest
    low[loops:last], high[loops:last], softness[loops:last] = moment.low, moment.high, moment.softness
    for c in range(len(distances)):
        # a point above its face may come as near as touching it
        i, distance = last + 3 * c, distances[c]
        slowest[i] = -max(distance, 0.0) / h
        closes[i], closing[i] = distance < 0.0, -share / h * distance
    for m in range(driven):
        i, k = lasting + m, motors.dof[m]
        chain(tree, rows, i, k, -1)
        work[k] = 1.0
        half_solve(tree, rows, i, work)
        velocity[i] = moment.velocity[k]
        slowest[i] = fastest[i] = motors.rate[m]
        high[i] = h * motors.effort[m]
        low[i] = -high[i]
        closes[i] = motors.holds[m]
        closing[i] = -share / h * (moment.q[motors.place[m]] - motors.position[m])
    return lasting + driven


@njit(cache=True)
def _lay(pattern, moment, tree, rows, work):
    """Entries and free velocities of the lasting rows."""
    # locals: every access to a tuple would count a reference
    jacobian_first, jacobian_place = pattern.first, pattern.place
    support_first, support = pattern.support_first, pattern.support
    jacobian, free = moment.jacobian, moment.velocity
    parent, start, L, root = tree.parent, tree.start, tree.L, tree.root
    first, loops, place, y, velocity = rows.first, rows.loops, rows.place, rows.y, rows.velocity
    for i in range(len(jacobian_first) - 1):
        e = first[i]
        for s in range(support_first[i], support_first[i + 1]):
            place[e] = support[s]
            e += 1
        loops[i] = e
        total = 0.0
        for j in range(jacobian_first[i], jacobian_first[i + 1]):
            x, k = jacobian[j], jacobian_place[j]
            work[k] = x
            total += x * free[k]
        velocity[i] = total
        half_solve_row(parent, start, L, root, first, loops, place, y, i, work)
