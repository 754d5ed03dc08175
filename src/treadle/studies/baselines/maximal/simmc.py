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

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.native.kernels import njit
from treadle.solvers.sequential.cone import in_cone
from treadle.studies.baselines.effort import Effort
from treadle.studies.baselines.maximal.contacts import contacts_of, fill_contacts
from treadle.studies.baselines.maximal.motion import move, push
from treadle.studies.baselines.maximal.rows import NORMAL, SECOND_TANGENT, TANGENT, empty_rows, fill_rows
from treadle.studies.baselines.maximal.simulation import MaximalSimulation
from treadle.studies.baselines.maximal.vectors import plus, row, scaled
from treadle.studies.baselines.point_contact import PointContact

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
        self._rows = empty_rows(hard, len(self.dofs.joint), len(self.couplings.dof), len(contacts))
        self._contacts = contacts_of(model, self.bodies, contacts)

    def _advance(self, count: int) -> Effort:
        taken = _advance(
            self.bodies, self.joints, self.dofs, self.couplings, self._contacts, self.state, self._rows,
            self.dt, count, self.iterations, self.tolerance, self.share,
        )  # fmt: skip
        return Effort(count, *taken)


@njit(cache=True)
def _advance(
    bodies, joints, dofs, couplings, contacts, state, rows, h, count, iterations, tolerance, share
):  # fmt: skip
    """Take steps; iterations in all, most in one step, largest residual."""
    total, most, worst = 0, 0, 0.0
    shift, tilt = np.zeros_like(state.velocity), np.zeros_like(state.turning)
    for _ in range(count):
        push(bodies, state, h)
        first = fill_rows(bodies, joints, dofs, couplings, state, rows, h, share)
        fill_contacts(bodies, contacts, state, rows, first, h, share)
        _warm_start(bodies, rows, state.velocity, state.turning)
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
        for f in range(len(dofs.servo)):
            dofs.position[f] += h * dofs.rate[f]
        total, most, worst = total + taken, max(most, taken), max(worst, moving, closing)
    return total, most, worst


@njit(cache=True)
def _warm_start(bodies, rows, velocity, turning):
    """Apply the impulses that the rows have already."""
    body, linear, response_a, response_b = rows.body, rows.linear, rows.response_a, rows.response_b
    mass, impulse, partner, slope = rows.mass, rows.impulse, rows.partner, rows.slope
    for r in range(len(mass)):
        if mass[r] > 0.0:
            p, s = impulse[r], partner[r]
            _apply(bodies.inverse_mass, body, linear, response_a, response_b, r, velocity, turning, p)
            if s >= 0:
                p *= -slope[r]
                _apply(bodies.inverse_mass, body, linear, response_a, response_b, s, velocity, turning, p)


@njit(cache=True)
def _sweep(bodies, rows, velocity, turning):
    """Satisfy every row once; the largest change of an impulse."""
    # locals: every access to the tuple would count a reference
    body, linear, turn_a, turn_b = rows.body, rows.linear, rows.turn_a, rows.turn_b
    response_a, response_b, inverse_mass = rows.response_a, rows.response_b, bodies.inverse_mass
    mass, kind, impulse, bound, target = rows.mass, rows.kind, rows.impulse, rows.bound, rows.target
    softness, partner, slope, cross, friction = (
        rows.softness, rows.partner, rows.slope, rows.cross, rows.friction
    )  # fmt: skip
    largest = 0.0
    for r in range(len(mass)):
        if mass[r] == 0.0 or kind[r] == SECOND_TANGENT:
            continue
        old, rate = impulse[r], _rate(body, linear, turn_a, turn_b, r, velocity, turning)
        if kind[r] == TANGENT:
            # both tangents together, within the cone
            s, other = r + 1, impulse[r + 1]
            x, y, w = 1.0 / mass[r], cross[r], 1.0 / mass[s]
            second = _rate(body, linear, turn_a, turn_b, s, velocity, turning)
            impulse[r], impulse[s] = in_cone(
                x, y, w, x * old + y * other - rate, y * old + w * other - second,
                friction[r], friction[r], impulse[r - 1],
            )  # fmt: skip
            change = impulse[s] - other
            _apply(inverse_mass, body, linear, response_a, response_b, s, velocity, turning, change)
            largest = max(largest, abs(change))
        else:
            s = partner[r]
            if s >= 0:
                rate -= slope[r] * _rate(body, linear, turn_a, turn_b, s, velocity, turning)
            least = 0.0 if kind[r] == NORMAL else -bound[r]
            wanted = old + mass[r] * (target[r] - rate - softness[r] * old)
            impulse[r] = min(max(wanted, least), bound[r])
            if s >= 0:
                change = -slope[r] * (impulse[r] - old)
                _apply(inverse_mass, body, linear, response_a, response_b, s, velocity, turning, change)
        change = impulse[r] - old
        _apply(inverse_mass, body, linear, response_a, response_b, r, velocity, turning, change)
        largest = max(largest, abs(change))
    return largest


@njit(cache=True)
def _closing_sweep(bodies, rows, shift, tilt):
    """The same for the pseudo-velocities, without bounds but that contacts only push."""
    body, linear, turn_a, turn_b = rows.body, rows.linear, rows.turn_a, rows.turn_b
    response_a, response_b, inverse_mass = rows.response_a, rows.response_b, bodies.inverse_mass
    mass, kind, closes, closing, pseudo = rows.mass, rows.kind, rows.closes, rows.closing, rows.pseudo
    partner, slope = rows.partner, rows.slope
    largest = 0.0
    for r in range(len(mass)):
        if not closes[r] or mass[r] == 0.0:
            continue
        rate, s = _rate(body, linear, turn_a, turn_b, r, shift, tilt), partner[r]
        if s >= 0:
            rate -= slope[r] * _rate(body, linear, turn_a, turn_b, s, shift, tilt)
        change = mass[r] * (closing[r] - rate)
        if kind[r] == NORMAL:
            change = max(change, -pseudo[r])
            pseudo[r] += change
        _apply(inverse_mass, body, linear, response_a, response_b, r, shift, tilt, change)
        if s >= 0:
            part = -slope[r] * change
            _apply(inverse_mass, body, linear, response_a, response_b, s, shift, tilt, part)
        largest = max(largest, abs(change))
    return largest


@njit(cache=True)
def _rate(body, linear, turn_a, turn_b, r, velocity, turning):
    """J v of a row by itself."""
    a, b = body[r, 0], body[r, 1]
    rate = 0.0
    for k in range(3):
        rate += linear[r, k] * (velocity[b, k] - velocity[a, k])
        rate += turn_b[r, k] * turning[b, k] - turn_a[r, k] * turning[a, k]
    return rate


@njit(cache=True)
def _apply(inverse_mass, body, linear, response_a, response_b, r, velocity, turning, impulse):
    """v += M^-1 J^T p of a row by itself."""
    a, b = body[r, 0], body[r, 1]
    along_a, along_b = inverse_mass[a] * impulse, inverse_mass[b] * impulse
    for k in range(3):
        velocity[a, k] -= along_a * linear[r, k]
        velocity[b, k] += along_b * linear[r, k]
        turning[a, k] -= response_a[r, k] * impulse
        turning[b, k] += response_b[r, k] * impulse
