"""Sequential impulses in maximal coordinates (SIMMC).

A step lets gravity act on the free bodies, applies the impulses of the last step (warm start), and then goes
over the constraint rows again and again, each time with the impulse that satisfies this one row (projected
Gauss-Seidel):

    p' = clip(p + (target - J v - gamma p) / (J M^-1 J^T + gamma)),    v += M^-1 J^T (p' - p)

until no impulse changes by more than a tolerance; gamma is the softness of springs and dampers, zero for
joints. Joints that have come apart are closed by split impulses: the same sweep on pseudo-velocities, which
move the bodies once and leave no energy behind. Catto (2005), "Iterative dynamics with temporal coherence";
Mikhaylyuk, Strashnov and Timokhin (2018), "Algorithms of multibody dynamics simulation using
articulated-body method".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.solvers.maximal.contacts import contacts_of, fill_contacts
from treadle.solvers.maximal.motion import move, push
from treadle.solvers.maximal.rows import NORMAL, SECOND_TANGENT, TANGENT, empty_rows, fill_rows
from treadle.solvers.maximal.simulation import Effort, MaximalSimulation
from treadle.solvers.maximal.vectors import plus, row, scaled
from treadle.solvers.point_contact import PointContact
from treadle.solvers.sequential.cone import in_cone

__all__ = ["Simmc"]


class Simmc(MaximalSimulation):
    """A machine that moves by sequential impulses.

    A step takes at most `iterations` sweeps, fewer where no impulse changes by more than `tolerance` (N s,
    N m s); the residual of its `Effort` is the largest change in the last sweep. `share` of the joints'
    errors is removed in every step. `contacts` are points that may touch faces.
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
        contacts: Sequence[PointContact] = (),
    ) -> None:
        super().__init__(model, dt, q, v)
        if iterations < 1 or tolerance < 0.0 or not 0.0 <= share <= 1.0:
            raise InputError("iterations must be at least 1, tolerance not negative and share from 0 to 1")
        self.iterations, self.tolerance, self.share = int(iterations), float(tolerance), float(share)
        hard = int(self.joints.slides.sum() + self.joints.turns.sum())
        self._rows = empty_rows(hard, len(self.freedoms.joint), len(self.couplings.freedom), len(contacts))
        self._contacts = contacts_of(model, self.bodies, contacts)

    def _advance(self, count: int) -> Effort:
        taken = _advance(
            self.bodies, self.joints, self.freedoms, self.couplings, self._contacts, self.state, self._rows,
            self.dt, count, self.iterations, self.tolerance, self.share,
        )  # fmt: skip
        return Effort(count, *taken)


@njit(cache=True)
def _advance(
    bodies, joints, freedoms, couplings, contacts, state, rows, h, count, iterations, tolerance, share
):  # fmt: skip
    """Take steps; iterations in all, most in one step, largest residual."""
    total, most, worst = 0, 0, 0.0
    shift, tilt = np.zeros_like(state.velocity), np.zeros_like(state.turning)
    for _ in range(count):
        push(bodies, state, h)
        first = fill_rows(bodies, joints, freedoms, couplings, state, rows, h, share)
        fill_contacts(bodies, contacts, state, rows, first, h, share)
        for r in range(len(rows.mass)):
            if rows.mass[r] > 0.0:
                _apply(bodies, rows, r, state.velocity, state.turning, rows.impulse[r])
        shift[:], tilt[:], rows.pseudo[:] = 0.0, 0.0, 0.0
        taken, moving, closing = 0, np.inf, np.inf
        while taken < iterations and max(moving, closing) > tolerance:
            # the two do not depend on each other, and either may be done first
            if moving > tolerance:
                moving = _sweep(bodies, rows, state.velocity, state.turning)
            if closing > tolerance:
                closing = _closing_sweep(bodies, rows, shift, tilt)
            taken += 1
        for i in range(len(bodies.inverse_mass) - 1):
            step = plus(row(state.velocity, i), row(shift, i))
            turn = plus(row(state.turning, i), row(tilt, i))
            move(state, i, scaled(step, h), scaled(turn, h))
        for f in range(len(freedoms.servo)):
            freedoms.position[f] += h * freedoms.rate[f]
        total, most, worst = total + taken, max(most, taken), max(worst, moving, closing)
    return total, most, worst


@njit(cache=True)
def _sweep(bodies, rows, velocity, turning):
    """Satisfy every row once; the largest change of an impulse."""
    largest = 0.0
    for r in range(len(rows.mass)):
        if rows.mass[r] == 0.0 or rows.kind[r] == SECOND_TANGENT:
            continue
        if rows.kind[r] == TANGENT:
            largest = max(largest, _rub(bodies, rows, r, velocity, turning))
            continue
        old, bound = rows.impulse[r], rows.bound[r]
        missing = rows.target[r] - _rate(rows, r, velocity, turning) - rows.softness[r] * old
        least = 0.0 if rows.kind[r] == NORMAL else -bound
        rows.impulse[r] = min(max(old + rows.mass[r] * missing, least), bound)
        change = rows.impulse[r] - old
        _apply(bodies, rows, r, velocity, turning, change)
        largest = max(largest, abs(change))
    return largest


@njit(cache=True)
def _rub(bodies, rows, r, velocity, turning):
    """Satisfy the two tangents of a contact together, within the cone; the largest change of an impulse."""
    s, old, other = r + 1, rows.impulse[r], rows.impulse[r + 1]
    a, c, d = 1.0 / rows.mass[r], rows.cross[r], 1.0 / rows.mass[s]
    u = _own_rate(rows, r, velocity, turning) - a * old - c * other
    w = _own_rate(rows, s, velocity, turning) - c * old - d * other
    mu = rows.friction[r]
    rows.impulse[r], rows.impulse[s] = in_cone(a, c, d, -u, -w, mu, mu, rows.impulse[r - 1])
    _own_apply(bodies, rows, r, velocity, turning, rows.impulse[r] - old)
    _own_apply(bodies, rows, s, velocity, turning, rows.impulse[s] - other)
    return max(abs(rows.impulse[r] - old), abs(rows.impulse[s] - other))


@njit(cache=True)
def _closing_sweep(bodies, rows, shift, tilt):
    """The same for the pseudo-velocities, without bounds but that contacts only push."""
    largest = 0.0
    for r in range(len(rows.mass)):
        if rows.closes[r] and rows.mass[r] > 0.0:
            change = rows.mass[r] * (rows.closing[r] - _rate(rows, r, shift, tilt))
            if rows.kind[r] == NORMAL:
                change = max(change, -rows.pseudo[r])
                rows.pseudo[r] += change
            _apply(bodies, rows, r, shift, tilt, change)
            largest = max(largest, abs(change))
    return largest


@njit(cache=True)
def _rate(rows, r, velocity, turning):
    """J v of a row, with its partner."""
    rate, s = _own_rate(rows, r, velocity, turning), rows.partner[r]
    return rate if s < 0 else rate - rows.slope[r] * _own_rate(rows, s, velocity, turning)


@njit(cache=True)
def _own_rate(rows, r, velocity, turning):
    a, b = rows.body[r, 0], rows.body[r, 1]
    rate = 0.0
    for k in range(3):
        rate += rows.linear[r, k] * (velocity[b, k] - velocity[a, k])
        rate += rows.turn_b[r, k] * turning[b, k] - rows.turn_a[r, k] * turning[a, k]
    return rate


@njit(cache=True)
def _apply(bodies, rows, r, velocity, turning, impulse):
    """v += M^-1 J^T p of a row, with its partner."""
    _own_apply(bodies, rows, r, velocity, turning, impulse)
    s = rows.partner[r]
    if s >= 0:
        _own_apply(bodies, rows, s, velocity, turning, -rows.slope[r] * impulse)


@njit(cache=True)
def _own_apply(bodies, rows, r, velocity, turning, impulse):
    a, b = rows.body[r, 0], rows.body[r, 1]
    for k in range(3):
        velocity[a, k] -= bodies.inverse_mass[a] * rows.linear[r, k] * impulse
        velocity[b, k] += bodies.inverse_mass[b] * rows.linear[r, k] * impulse
        turning[a, k] -= rows.response_a[r, k] * impulse
        turning[b, k] += rows.response_b[r, k] * impulse
