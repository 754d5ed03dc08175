"""Extended position-based dynamics of rigid bodies (XPBD).

A step is divided into substeps. In each the bodies fly freely, then the joints are satisfied one after the
other by moving and turning the bodies themselves, each time by the impulse-like quantity

    dl = -(C + a l / h^2) / (w + a / h^2),    w = n . M^-1 n,    dx = M^-1 n dl

along the direction n of the joint's present error C (a = 0, the compliance of a rigid joint; 1 / stiffness of
a spring). Motors and dry friction are such constraints too, with a bound on l. The velocities follow from
what the positions did; dampers act on them. Mueller, Macklin, Chentanez, Jeschke and Kim (2020), "Detailed
rigid body simulation with extended position based dynamics".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.native.kernels import njit
from treadle.studies.baselines.effort import Effort
from treadle.studies.baselines.maximal.mechanism import SLIDE
from treadle.studies.baselines.maximal.motion import (
    angle_error,
    body_turn,
    dof_axis,
    dof_position,
    joint_points,
    move,
    push,
    turn_error,
)
from treadle.studies.baselines.maximal.rows import coupling_row, empty_rows
from treadle.studies.baselines.maximal.simulation import MaximalSimulation
from treadle.studies.baselines.maximal.vectors import (
    cross,
    dot,
    logarithm,
    minus,
    multiply,
    plus,
    quaternion_of,
    rotated,
    rotated_back,
    row,
    scaled,
    set_row,
)

__all__ = ["Xpbd"]


class Xpbd(MaximalSimulation):
    """A machine that moves by extended position-based dynamics.

    Each of the `substeps` of a step goes over the joints at most `iterations` times, fewer where no
    joint is off by more than `tolerance` (m, rad), which is the residual of its `Effort`.
    """

    def __init__(
        self,
        model: Model,
        dt: float = 1e-3,
        q: Sequence[float] | np.ndarray | None = None,
        v: Sequence[float] | np.ndarray | None = None,
        substeps: int = 10,
        iterations: int = 1,
        tolerance: float = 0.0,
    ) -> None:
        super().__init__(model, dt, q, v)
        if substeps < 1 or iterations < 1 or tolerance < 0.0:
            raise InputError("substeps and iterations must be at least 1, and tolerance not negative")
        self.substeps, self.iterations, self.tolerance = int(substeps), int(iterations), float(tolerance)
        self._rows = empty_rows(0, 0, 1)

    def _advance(self, count: int) -> Effort:
        total, most, residual = _advance(
            self.bodies, self.joints, self.dofs, self.couplings, self.state, self._rows,
            self.dt / self.substeps, count * self.substeps, self.iterations, self.tolerance,
        )  # fmt: skip
        return Effort(count, total, most * self.substeps, residual)


@njit(cache=True)
def _advance(bodies, joints, dofs, couplings, state, rows, h, count, iterations, tolerance):
    """Take substeps; iterations in all, most in one, largest residual."""
    total, most, worst = 0, 0, 0.0
    position, quaternion = state.position.copy(), state.quaternion.copy()
    multiplier = np.zeros((len(dofs.joint), 3))
    start = np.zeros(len(dofs.joint))
    for _ in range(count):
        for f in range(len(dofs.joint)):
            if dofs.friction[f] != 0.0 or dofs.servo[f] == 2:
                start[f] = dof_position(joints, dofs, state, f)
        position[:], quaternion[:] = state.position, state.quaternion
        push(bodies, state, h)
        for i in range(len(bodies.inverse_mass) - 1):
            move(state, i, scaled(row(state.velocity, i), h), scaled(row(state.turning, i), h))
        for f in range(len(dofs.servo)):
            dofs.position[f] += h * dofs.rate[f]
        multiplier[:] = 0.0
        taken, residual = 0, 0.0
        while taken < iterations:
            residual = 0.0
            for f in range(len(dofs.joint)):
                off = _solve_dof(bodies, joints, dofs, state, start, multiplier, f, h)
                residual = max(residual, off)
            for c in range(len(couplings.dof)):
                off = _solve_coupling(bodies, joints, dofs, couplings, state, rows, c)
                residual = max(residual, off)
            for j in range(len(joints.body)):
                residual = max(residual, _solve_joint(bodies, joints, state, j))
            taken += 1
            if residual <= tolerance:
                break
        _velocities(state, position, quaternion, h)
        for f in range(len(dofs.joint)):
            _resist(bodies, joints, dofs, state, f, h)
        total, most, worst = total + taken, max(most, taken), max(worst, residual)
    return total, most, worst


@njit(cache=True)
def _solve_joint(bodies, joints, state, j):
    """Turn and then shift the two bodies of a joint to where they belong; how far off they were."""
    a, b = joints.body[j, 0], joints.body[j, 1]
    error = turn_error(joints, state, j)
    angle = sqrt(dot(error, error))
    if angle > 0.0:
        _turn(bodies, state, a, b, scaled(error, 1.0 / angle), angle, 0.0, 0.0, np.inf)
    on_a, on_b = joint_points(joints, state, j)
    gap = minus(on_b, on_a)
    locked = (0.0, 0.0, 0.0)
    for k in range(joints.slides[j]):
        direction = rotated(state.rotation[a], row(joints.slide[j], k))
        locked = plus(locked, scaled(direction, dot(direction, gap)))
    distance = sqrt(dot(locked, locked))
    if distance > 0.0:
        _shift(bodies, state, a, b, on_b, scaled(locked, 1.0 / distance), distance, 0.0, 0.0, np.inf)
    return max(angle, distance)


@njit(cache=True)
def _solve_dof(bodies, joints, dofs, state, start, multiplier, f, h):
    """Satisfy motor, spring and friction of a degree of freedom; the error of the motor before."""
    off = 0.0
    stiffness, friction, servo = dofs.stiffness[f], dofs.friction[f], dofs.servo[f]
    if not dofs.measured[f] or (stiffness == 0.0 and friction == 0.0 and servo == 0):
        return off
    j = dofs.joint[f]
    a, b = joints.body[j, 0], joints.body[j, 1]
    for n in range(3):
        softness, bound = 0.0, np.inf
        if n == 0 and servo != 0:
            wanted = dofs.position[f] if servo == 1 else start[f] + h * dofs.rate[f]
            bound = dofs.effort[f] * h * h
        elif n == 1 and stiffness != 0.0:
            wanted, softness = dofs.reference[f], 1.0 / (stiffness * h * h)
        elif n == 2 and friction != 0.0:
            wanted, bound = start[f], friction * h * h
        else:
            continue
        axis = dof_axis(joints, dofs, state, f)
        error, old = dof_position(joints, dofs, state, f) - wanted, multiplier[f, n]
        if dofs.kind[f] == SLIDE:
            _, on_b = joint_points(joints, state, j)
            multiplier[f, n] = _shift(bodies, state, a, b, on_b, axis, error, softness, old, bound)
        else:
            error = angle_error(error)
            multiplier[f, n] = _turn(bodies, state, a, b, axis, error, softness, old, bound)
        if n == 0:
            off = abs(error)
    return off


@njit(cache=True)
def _solve_coupling(bodies, joints, dofs, couplings, state, rows, c):
    """Bring two dofs to where a coupling wants them; how far off they were."""
    error = coupling_row(bodies, joints, dofs, couplings, state, rows, 0, c)
    change = -error * rows.mass[0]
    for r in range(2 if rows.partner[0] > 0 else 1):
        along = change if r == 0 else -rows.slope[0] * change
        for side in range(2):
            i, sign = rows.body[r, side], along if side == 1 else -along
            response = row(rows.response_a if side == 0 else rows.response_b, r)
            step = scaled(row(rows.linear, r), sign * bodies.inverse_mass[i])
            move(state, i, step, scaled(response, sign))
    return abs(error)


@njit(cache=True)
def _turn(bodies, state, a, b, axis, error, softness, old, bound):
    """Turn B back against A about an axis, shared by their inertias; the multiplier, which was `old`."""
    on_a, on_b = _response(bodies, state, a, axis), _response(bodies, state, b, axis)
    mobility = dot(axis, on_a) + dot(axis, on_b) + softness
    if mobility == 0.0:
        return old
    new = _limited(old - (error + softness * old) / mobility, bound)
    body_turn(state, a, scaled(on_a, old - new))
    body_turn(state, b, scaled(on_b, new - old))
    return new


@njit(cache=True)
def _shift(bodies, state, a, b, point, direction, error, softness, old, bound):
    """Move a point of B back against A, shared by masses and inertias; the multiplier, which was `old`."""
    turn_a = cross(minus(point, row(state.position, a)), direction)
    turn_b = cross(minus(point, row(state.position, b)), direction)
    on_a, on_b = _response(bodies, state, a, turn_a), _response(bodies, state, b, turn_b)
    mass_a, mass_b = bodies.inverse_mass[a], bodies.inverse_mass[b]
    mobility = mass_a + mass_b + dot(turn_a, on_a) + dot(turn_b, on_b) + softness
    if mobility == 0.0:
        return old
    new = _limited(old - (error + softness * old) / mobility, bound)
    move(state, a, scaled(direction, (old - new) * mass_a), scaled(on_a, old - new))
    move(state, b, scaled(direction, (new - old) * mass_b), scaled(on_b, new - old))
    return new


@njit(cache=True)
def _response(bodies, state, i, torque):
    R = state.rotation[i]
    return rotated(R, rotated(bodies.inverse_inertia[i], rotated_back(R, torque)))


@njit(cache=True)
def _velocities(state, position, quaternion, h):
    """What the bodies did in h seconds."""
    for i in range(len(position) - 1):
        set_row(state.velocity, i, scaled(minus(row(state.position, i), row(position, i)), 1.0 / h))
        q = quaternion_of(quaternion, i)
        turned = multiply(quaternion_of(state.quaternion, i), (q[0], -q[1], -q[2], -q[3]))
        set_row(state.turning, i, scaled(logarithm(turned), 1.0 / h))


@njit(cache=True)
def _resist(bodies, joints, dofs, state, f, h):
    """Apply the damper of a degree of freedom; to a rotation without position also friction and motor."""
    d = dofs.damping[f]
    # whatever has a position was treated there
    friction = 0.0 if dofs.measured[f] else dofs.friction[f]
    driven = dofs.servo[f] == 2 and not dofs.measured[f]
    if d == 0.0 and friction == 0.0 and not driven:
        return
    j = dofs.joint[f]
    a, b = joints.body[j, 0], joints.body[j, 1]
    axis = dof_axis(joints, dofs, state, f)
    linear, turn_a, turn_b = (0.0, 0.0, 0.0), axis, axis
    if dofs.kind[f] == SLIDE:
        _, point = joint_points(joints, state, j)
        linear = axis
        turn_a = cross(minus(point, row(state.position, a)), axis)
        turn_b = cross(minus(point, row(state.position, b)), axis)
    on_a, on_b = _response(bodies, state, a, turn_a), _response(bodies, state, b, turn_b)
    mobility = (bodies.inverse_mass[a] + bodies.inverse_mass[b]) * dot(linear, linear)
    mobility += dot(turn_a, on_a) + dot(turn_b, on_b)
    if mobility == 0.0:
        return
    rate = dot(linear, minus(row(state.velocity, b), row(state.velocity, a)))
    rate += dot(turn_b, row(state.turning, b)) - dot(turn_a, row(state.turning, a))
    impulse = 0.0
    if driven:
        impulse = _limited((dofs.rate[f] - rate) / mobility, dofs.effort[f] * h)
    # the damper at the rate that it leaves, the friction up to standstill
    impulse -= h * d * (rate + mobility * impulse) / (1.0 + h * d * mobility)
    impulse -= _limited((rate + mobility * impulse) / mobility, friction * h)
    set_row(
        state.velocity, a, minus(row(state.velocity, a), scaled(linear, impulse * bodies.inverse_mass[a]))
    )
    set_row(state.velocity, b, plus(row(state.velocity, b), scaled(linear, impulse * bodies.inverse_mass[b])))
    set_row(state.turning, a, minus(row(state.turning, a), scaled(on_a, impulse)))
    set_row(state.turning, b, plus(row(state.turning, b), scaled(on_b, impulse)))


@njit(cache=True)
def _limited(value, bound):
    return min(max(value, -bound), bound)
